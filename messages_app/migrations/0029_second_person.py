"""Which jobs wait for a second person, found by the watcher every few seconds."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0028_user_sessions"),
    ]

    operations = [
        migrations.AddIndex(
            "job",
            models.Index(
                fields=["paused_at"],
                name="job_undecided_idx",
                condition=models.Q(state="planned", paused_for="second_person"),
            ),
        ),
    ]
