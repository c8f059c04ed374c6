from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0004_saved_views")]

    operations = []
