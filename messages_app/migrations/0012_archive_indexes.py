from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0011_cold_archive")]

    operations = []
