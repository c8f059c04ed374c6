"""Stored schedules name the task that runs them; it has moved with its module."""

from django.db import migrations

_RENAME = """
UPDATE django_celery_beat_periodictask
   SET task = 'messages_app.jobs.{new}.tasks.run_schedule'
 WHERE task = 'messages_app.jobs.{old}.tasks.run_schedule'
"""


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0045_document_lines_by_key"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]

    operations = [
        migrations.RunSQL(
            _RENAME.format(old="scheduling", new="schedules"),
            _RENAME.format(old="schedules", new="scheduling"),
        )
    ]
