"""The time at which a user dismissed the setup checklist."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0030_runs_of_schedules")]

    operations = [
        migrations.AddField(
            model_name="firstpagevisit",
            name="setup_away_at",
            field=models.DateTimeField(null=True),
        ),
    ]
