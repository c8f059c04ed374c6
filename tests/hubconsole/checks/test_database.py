import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_celery_beat.models import IntervalSchedule, PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

from hubconsole.celery import app
from hubconsole.checks import Unhealthy
from hubconsole.checks.database import check_beat
from messages_app.audit.grants import grant
from messages_app.audit.privileges import Part
from tests.messages_app.audit.parts import role_of, roles, running_as  # noqa: F401 (a fixture)


@pytest.mark.django_db(transaction=True)
class TestCheckBeat:
    def test_is_content_with_all_that_beat_stored(self):
        DatabaseScheduler(app=app)
        assert check_beat() is None

    def test_asks_two_questions(self):
        DatabaseScheduler(app=app)
        with CaptureQueriesContext(connection) as asked:
            check_beat()
        assert len([each for each in asked if "periodictask" in each["sql"]]) == 2

    @pytest.mark.usefixtures("roles")
    def test_names_the_tasks_that_beat_may_not_store(self):
        worker = role_of(Part.WORKER)
        IntervalSchedule.objects.create(every=10, period="seconds")
        PeriodicTask.objects.create(
            name="of-tests", task="t", interval=IntervalSchedule.objects.create(every=7, period="days")
        )
        with connection.cursor() as cursor:
            cursor.execute(f"REVOKE INSERT, UPDATE ON django_celery_beat_intervalschedule FROM {worker}")
        try:
            with running_as(Part.WORKER):
                DatabaseScheduler(app=app)
        finally:
            grant(worker, Part.WORKER)
        with pytest.raises(
            Unhealthy, match=r"is missing 15 of its tasks, which never run: check-watch-rules, coa"
        ) as said:
            check_beat()
        assert all(name in said.value.why for name in settings.CELERY_BEAT_SCHEDULE)
        assert "Run `grant` for its role again" in said.value.do

        with running_as(Part.WORKER):
            DatabaseScheduler(app=app)
        assert check_beat() is None

    def test_names_a_task_that_someone_removed(self):
        DatabaseScheduler(app=app)
        PeriodicTask.objects.filter(name="seal-audit").delete()
        with pytest.raises(Unhealthy, match=r"is missing 1 of its tasks, which never run: seal-audit$"):
            check_beat()

    def test_accepts_what_is_switched_off_and_shows_it(self):
        DatabaseScheduler(app=app)
        PeriodicTask.objects.filter(name__in=["seal-audit", "forget-cp-log"]).update(enabled=False)
        PeriodicTask.objects.create(
            name="of-others", task="t", enabled=False, interval=IntervalSchedule.objects.first()
        )
        assert check_beat() == "disabled in the periodic tasks: forget-cp-log, seal-audit"
