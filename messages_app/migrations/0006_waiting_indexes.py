from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0005_list_indexes")]

    operations = []
