from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0012_archive_indexes")]

    operations = []
