"""Schedules stored by the version before run as they did."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from hubconsole.celery import app
from messages_app.jobs.schedules.services import RUN_SCHEDULE

BEFORE, THIS = ("messages_app", "0045_document_lines_by_key"), ("messages_app", "0046_schedules_task")

OLD = "messages_app.jobs.scheduling.tasks.run_schedule"
OTHER = "messages_app.jobs.tasks.sweep_jobs"


def _move(direction: str) -> None:
    loader = MigrationExecutor(connection).loader
    with connection.schema_editor(atomic=True) as editor:
        getattr(loader.get_migration(*THIS), direction)(loader.project_state(BEFORE), editor)


def _tasks() -> list[str]:
    return list(
        PeriodicTask.objects.filter(name__startswith="t-").order_by("name").values_list("task", flat=True)
    )


@pytest.mark.django_db(transaction=True)
class TestRenamedTask:
    def test_is_named_by_stored_schedules_and_is_one_that_workers_know(self):
        crontab = CrontabSchedule.objects.create()
        for name, task in (("t-1", OLD), ("t-2", OTHER)):
            PeriodicTask.objects.create(name=name, task=task, crontab=crontab)
        _move("apply")
        assert _tasks() == ["messages_app.jobs.schedules.tasks.run_schedule", OTHER]
        app.loader.import_default_modules()
        assert _tasks()[0] == RUN_SCHEDULE
        assert RUN_SCHEDULE in app.tasks
        _move("unapply")
        assert _tasks() == [OLD, OTHER]
