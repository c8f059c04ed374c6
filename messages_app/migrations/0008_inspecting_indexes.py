from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0007_lists_of_calls")]

    operations = []
