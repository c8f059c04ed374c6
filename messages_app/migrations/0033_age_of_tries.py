from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0032_erasing")]

    operations = [
        migrations.AddIndex("loginfailure", models.Index("last_at", name="login_failure_age_idx")),
    ]
