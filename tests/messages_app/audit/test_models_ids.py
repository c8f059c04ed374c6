"""The columns of an audit entry that callers cannot set, with any statement."""

import datetime as dt
import json

import psycopg
import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.audit.privileges import Part
from messages_app.audit.services import Actor, record_entry
from messages_app.core.clock import database_clock
from tests.messages_app.audit.parts import logged_in, role_of, roles  # noqa: F401 (a fixture)
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)

COLUMNS = "actor, action, outcome, details, before_state, after_state, reason, token_name, request_id"
VALUES = "'op2', 'restart', 'done', '{{}}', '', '', '', '', ''"
ONE = f"INSERT INTO audit_entry ({{}}{COLUMNS}) {{}} VALUES ({{}}{VALUES})"
HUGE = 9_000_000_000_000_000
PARTS = [Part.WEB, Part.WORKER, Part.SPARK, Part.ERASE]


def superuser() -> psycopg.Connection:
    return psycopg.connect(database_of_tests()["DATABASE_URL"], autocommit=True)


def only_entry() -> AuditEntry:
    return AuditEntry.objects.get()


class TestIds:
    @pytest.mark.parametrize("entry_id", [HUGE, 0, -1, 1])
    @pytest.mark.parametrize("clause", ["", "OVERRIDING SYSTEM VALUE", "OVERRIDING USER VALUE"])
    def test_cannot_be_chosen_by_a_superuser(self, entry_id, clause):
        with superuser() as database, pytest.raises(psycopg.Error):
            database.execute(ONE.format("entry_id, ", clause, f"{entry_id}, "))
        assert not AuditEntry.objects.exists()

    def test_cannot_be_chosen_by_a_copy(self):
        into = f"COPY audit_entry (entry_id, {COLUMNS}) FROM STDIN"
        with (
            superuser() as database,
            pytest.raises(psycopg.Error, match="only the database assigns ids"),
            database.cursor().copy(into) as copy,
        ):
            copy.write_row((HUGE, "op2", "restart", "done", json.dumps({}), *[""] * 5))
        assert not AuditEntry.objects.exists()

    @pytest.mark.usefixtures("roles")
    @pytest.mark.parametrize("part", PARTS)
    def test_cannot_be_chosen_by_the_consoles_roles(self, part):
        with logged_in(part) as database:
            with pytest.raises(psycopg.Error, match="only the database assigns ids"):
                database.execute(ONE.format("entry_id, ", "", f"{HUGE}, "))
            database.execute(ONE.format("", "", ""))
        assert 0 < only_entry().pk < HUGE

    @pytest.mark.usefixtures("roles")
    def test_cannot_be_chosen_by_the_role_that_may_switch_triggers_off(self):
        with connection.cursor() as cursor:
            cursor.execute(f"GRANT SET ON PARAMETER session_replication_role TO {role_of(Part.SPARK)}")
        with logged_in(Part.SPARK) as database:
            database.execute("SET session_replication_role = replica")
            with pytest.raises(psycopg.Error, match="only the database assigns ids"):
                database.execute(ONE.format("entry_id, ", "", f"{HUGE}, "))
            database.execute(ONE.format("at, ", "", "now() - interval '1 day', "))
        assert database_clock() - only_entry().at < dt.timedelta(minutes=1)

    def test_are_positive_even_if_the_owner_switches_the_trigger_off(self):
        with superuser() as database:
            database.execute("ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_comes")
            try:
                with pytest.raises(psycopg.errors.CheckViolation):
                    database.execute(ONE.format("entry_id, ", "", "0, "))
            finally:
                database.execute("ALTER TABLE audit_entry ENABLE ALWAYS TRIGGER audit_entry_comes")

    def test_grow_with_each_entry(self):
        ids = [record_entry(actor=Actor(username="ada"), action="restart").pk for _ in range(3)]
        assert ids == [ids[0], ids[0] + 1, ids[0] + 2]


class TestTimes:
    @pytest.mark.parametrize("time", ["now() - interval '1 day'", "now() + interval '1 year'", "NULL"])
    def test_are_those_of_the_insertion(self, time):
        with superuser() as database:
            database.execute(ONE.format("at, transaction_id, ", "", f"{time}, 7, "))
            database.execute("SELECT pg_sleep(0.05)")
        entry = only_entry()
        assert dt.timedelta(seconds=0.05) <= database_clock() - entry.at < dt.timedelta(minutes=1)
        assert entry.transaction_id > 7

    def test_are_not_those_of_the_transactions_begin(self):
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as database:
            (began,) = database.execute("SELECT now()").fetchone()
            database.execute("SELECT pg_sleep(0.1)")
            database.execute(ONE.format("", "", ""))
        assert only_entry().at - began >= dt.timedelta(seconds=0.1)
