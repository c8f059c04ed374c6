from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0018_archive_by_month")]

    operations = [migrations.AddField("jobchunk", "began_at", models.DateTimeField(null=True))]
