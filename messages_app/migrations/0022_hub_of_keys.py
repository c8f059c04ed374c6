"""Add the schemas of the hub from whose messages business keys were read."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0021_handling_incidents")]

    operations = [
        migrations.AddField(
            model_name="keypass",
            name="hub_schema",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AddField(
            model_name="keypass",
            name="archive_schema",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
    ]
