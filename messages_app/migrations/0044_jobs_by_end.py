"""The handover finds the jobs that ended during a shift."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0043_objects_of_records")]

    operations = [
        migrations.AddIndex(
            "job",
            models.Index(
                fields=["finished_at"],
                name="job_finished_idx",
                condition=models.Q(finished_at__isnull=False),
            ),
        ),
    ]
