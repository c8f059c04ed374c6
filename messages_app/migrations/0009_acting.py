from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0008_inspecting_indexes")]

    operations = []
