from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0037_trigger_gaps")]

    operations = [
        migrations.AddField("job", "step", models.CharField(blank=True, db_default="", max_length=20)),
    ]
