import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test.utils import CaptureQueriesContext
from django_celery_beat.models import IntervalSchedule, PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

from hubconsole.celery import app
from hubconsole.checks import Unhealthy
from hubconsole.checks.database import (
    check_archive_months,
    check_beat,
    check_migrations,
    check_rights,
    check_spark_role,
)
from messages_app.audit.grants import grant_privileges
from messages_app.audit.privileges import Part
from messages_app.jobs.archive_months.services import make_months
from messages_app.jobs.archive_months.tables import Month, archive_names, month_after, this_month
from tests.messages_app.audit.parts import address_of, role_of, roles, running_as, url_of  # noqa: F401 (a fixture)
from tests.support.archive_months import run
from tests.support.workers import database_of_tests


@pytest.mark.django_db
class TestCheckMigrations:
    def test_accepts_tables_that_a_newer_version_has_extended(self):
        MigrationRecorder(connection).record_applied("messages_app", "9998_later")
        check_migrations()

    def test_refuses_tables_from_which_a_newer_version_has_removed_something(self):
        for name in ("9997_later_contract", "9998_later"):
            MigrationRecorder(connection).record_applied("messages_app", name)
        with pytest.raises(Unhealthy, match=r"a newer version, which has messages_app\.9997_later_contract"):
            check_migrations()


@pytest.mark.django_db(transaction=True)
class TestCheckBeat:
    def test_accepts_all_that_beat_stored(self):
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
            grant_privileges(worker, Part.WORKER)
        with pytest.raises(
            Unhealthy, match=r"is missing 20 of its tasks, which never run: check-watch-rules, coa"
        ) as said:
            check_beat()
        assert all(name in said.value.why for name in settings.CELERY_BEAT_SCHEDULE)
        assert "Run `grant` for its role again" in said.value.do

        with running_as(Part.WORKER):
            DatabaseScheduler(app=app)
        assert check_beat() is None

    def test_names_a_removed_task(self):
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
        assert check_beat() == "disabled in django_celery_beat_periodictask: forget-cp-log, seal-audit"


pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("roles")]


@contextmanager
def without(right: str, part: Part) -> Iterator[None]:
    """Take a right on a table from a part's role, as if the table were new since it was granted."""
    with connection.cursor() as cursor:
        cursor.execute(f"REVOKE {right} FROM {role_of(part)}")
    try:
        yield
    finally:
        grant_privileges(role_of(part), part)


@pytest.fixture
def elsewhere(transactional_db) -> Iterator[str]:
    """Make another database on the same server, and give its name."""
    name = "hubconsole_tests_elsewhere"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    yield name
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name}")


@pytest.fixture(autouse=True)
def in_a_shell(monkeypatch) -> None:
    """No one says which part of the console this process is."""
    monkeypatch.delenv("HUBCONSOLE_PROCESS", raising=False)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("roles")
class TestCheckArchiveMonths:
    def test_asks_for_the_next_month_only_where_jobs_may_not_make_it(self):
        following = month_after(this_month())
        with running_as(Part.WORKER):
            check_archive_months()
        for name in archive_names():
            run("DROP TABLE {part}", part=Month(following, month_after(following)).name_table(name))
        try:
            check_archive_months()
            with (
                running_as(Part.WORKER),
                pytest.raises(Unhealthy, match=f"no tables for {following:%Y-%m}:") as said,
            ):
                check_archive_months()
            assert "archive_months --make` as the owner" in said.value.do
        finally:
            assert [month.first for month in make_months()] == [following]


class TestCheckRights:
    def test_accepts_the_owner(self):
        assert check_rights() is None

    @pytest.mark.parametrize("part", Part)
    def test_accepts_what_was_granted(self, part):
        with running_as(part):
            assert check_rights() is None

    def test_shows_what_a_role_lacks_and_how_to_grant_it(self):
        with (
            without("ALL ON alert", Part.WEB),
            running_as(Part.WEB),
            pytest.raises(
                Unhealthy, match=("the role of DATABASE_URL lacks permissions that the part web needs")
            ) as said,
        ):
            check_rights()
        assert said.value.why.endswith("SELECT alert, UPDATE alert.closed_at, UPDATE alert.value")
        assert "grant ROLE --as web`" in said.value.do

    def test_shows_a_service_what_its_own_part_needs(self):
        environment = database_of_tests() | {"DATABASE_URL": url_of(Part.WEB)}
        doctor = subprocess.run(
            [sys.executable, "manage.py", "doctor", "--json"],
            env=os.environ | environment | {"HUBCONSOLE_PROCESS": "beat"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        rights = json.loads(doctor.stdout)["rights"]
        assert doctor.returncode == 1
        assert rights["why"].startswith(
            "the role of DATABASE_URL lacks permissions that the part worker needs: DELETE"
        )
        assert "grant ROLE --as worker`" in rights["do"]

    def test_shows_what_a_role_may_beyond_its_part(self):
        with connection.cursor() as cursor:
            cursor.execute("GRANT DELETE ON message TO PUBLIC")
        try:
            with (
                running_as(Part.WEB),
                pytest.raises(Unhealthy, match=r"has more permissions than the part web: DELETE message$"),
            ):
                check_rights()
        finally:
            with connection.cursor() as cursor:
                cursor.execute("REVOKE DELETE ON message FROM PUBLIC")

    def test_refuses_one_role_for_all_parts_in_production_unless_a_setting_accepts_it(self, settings):
        settings.IS_PRODUCTION = True
        with pytest.raises(Unhealthy, match="one database role may do everything") as said:
            check_rights()
        assert "HUBCONSOLE_DATABASE_ROLES=one" in said.value.do
        with running_as(Part.WEB):
            assert check_rights() is None
        settings.DATABASE_ROLES = "one"
        assert check_rights() is None


class TestCheckSparkRole:
    def test_accepts_a_missing_address(self):
        assert check_spark_role() is None

    def test_accepts_the_role_of_spark(self, settings):
        settings.SPARK_DATABASE = address_of(Part.SPARK)
        with running_as(Part.WEB):
            assert check_spark_role() is None

    @pytest.mark.parametrize("wrong", [{"PASSWORD": "of others"}, {"HOST": "127.0.0.1", "PORT": 1}])
    def test_reports_that_it_is_not_reached_and_reveals_no_address(self, settings, wrong):
        settings.SPARK_DATABASE = address_of(Part.SPARK) | wrong
        with pytest.raises(Unhealthy, match="job tasks cannot connect to the database") as said:
            check_spark_role()
        assert role_of(Part.SPARK) not in said.value.why + said.value.do
        assert said.value.__suppress_context__

    def test_reports_that_it_is_another_database(self, settings, elsewhere):
        settings.SPARK_DATABASE = address_of(Part.SPARK) | {"NAME": elsewhere}
        with pytest.raises(Unhealthy, match="would use a different database"):
            check_spark_role()

    def test_shows_what_the_role_lacks(self, settings):
        settings.SPARK_DATABASE = address_of(Part.SPARK)
        with (
            without("UPDATE (state) ON message", Part.SPARK),
            pytest.raises(
                Unhealthy,
                match=r"HUBCONSOLE_SPARK_DATABASE_URL lacks permissions that .* UPDATE message.state$",
            ),
        ):
            check_spark_role()
