from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0003_roles")]

    operations = []
