"""The position in the messages from before the console was installed, whose failures are gathered too."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0018_business_keys")]

    operations = [
        migrations.AddField("incidentpass", "history_before", models.BigIntegerField(null=True)),
        migrations.AddField("incidentpass", "history_read_at", models.DateTimeField(null=True)),
    ]
