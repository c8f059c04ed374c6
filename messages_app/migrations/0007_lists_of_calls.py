from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0006_waiting_indexes")]

    operations = []
