"""The last runs of each schedule, which its page shows."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0029_notes")]

    operations = [
        migrations.AddField("jobschedule", "recent_runs", models.JSONField(default=list)),
    ]
