from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0010_job_engine")]

    operations = []
