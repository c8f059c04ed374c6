"""`attach --create-archive`: the archive tables of the hub's release, and what stays of them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from messages_app.attach.recognition import recognize_hub
from messages_app.jobs.connections import own_dsn
from messages_app.messages.attachment import Feature, current_attachment, refusal_of
from messages_app.shared.job_states import JobState
from tests.support import jobs
from tests.support.attached import ZONE, detach
from tests.support.cold import undo
from tests.support.databases import schema
from tests.support.hub_digests import digests
from tests.support.hubs import LAYOUTS, hub_database, statements

ARCHIVED = [2, 4, 5, 20, 21, 22]
TABLES = ("message", "external_call", "request", "response")
COLUMNS = """
SELECT relname, attname, format_type(atttypid, atttypmod), attnotnull
  FROM pg_attribute
  JOIN pg_class ON pg_class.oid = attrelid
 WHERE relnamespace = %s::regnamespace AND relname LIKE 'archive_%%' AND relkind = 'r' AND attnum > 0
"""


def run(statement: str, *values: object) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        return cursor.fetchall() if cursor.description else []


def attach(*words: str) -> str:
    output = StringIO()
    call_command("attach", *words, time_zone=ZONE, stdout=output, stderr=StringIO())
    return output.getvalue()


@contextmanager
def without_archive(layout: str) -> Iterator[str]:
    """Let Django use a hub without archive tables, with rows to archive; give the schema of its tables."""
    place = LAYOUTS[layout].schema
    with hub_database(layout):
        if LAYOUTS[layout].archive:
            run(f"DROP TABLE {', '.join(f'{place}.archive_{table}' for table in TABLES)}")
        run(f"SET search_path = {place}; {statements.read_text('rows_to_archive')}; RESET search_path")
        yield place


@pytest.fixture(params=[pytest.param("CleverBus 2.0 without archive", marks=pytest.mark.slow), "OpenHub 2.3"])
def layout(request, django_db_setup, django_db_blocker) -> Iterator[str]:
    with django_db_blocker.unblock():
        yield request.param


@pytest.fixture
def place(layout: str, settings) -> Iterator[str]:
    with without_archive(layout) as place:
        settings.HUB_RULES = recognize_hub(place).family.rules
        yield place


def test_a_dry_run_announces_the_tables_and_creates_nothing(place: str):
    before = schema()
    found = json.loads(attach(place, "--dry-run", "--json"))
    words = attach(place, "--dry-run")
    assert schema() == before
    created = [text for text in found["archive_tables"] if text.startswith("CREATE TABLE")]
    assert [text.split()[2] for text in created] == [f"{place}.archive_{table}" for table in TABLES]
    assert f"-- archive tables, only with --create-archive\nCREATE TABLE {place}.archive_message (" in words


@pytest.mark.slow
def test_the_tables_are_those_of_the_release(layout: str):
    with hub_database("CleverBus 1.1"):
        expected = set(run(COLUMNS, "public"))
    with without_archive(layout) as place:
        attach(place, "--create-archive")
        assert len(expected) == 26 + 9 + 6 + 7
        assert set(run(COLUMNS, place)) == expected


@pytest.mark.slow
def test_a_hub_with_an_archive_gets_no_second_one(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), hub_database("CleverBus 2.0 with archive 0.6"):
        before = schema()
        assert json.loads(attach("public", "--dry-run", "--json"))["archive_tables"] == []
        attach("public", "--create-archive")
        assert "is as it was before" in detach()
        assert schema() == before


@pytest.mark.usefixtures("spark_remote")
class TestArchive:
    @pytest.mark.slow
    def test_messages_are_archived_to_the_tables_and_restored(self, place: str):
        before_tables, before = schema(), digests()
        attach(place, "--create-triggers", "--create-archive", "--create-indexes")
        assert current_attachment().archive_schema == place
        job = jobs.run("archive", {}, to="tables").job
        assert (job.state, job.error) == (JobState.DONE, "")
        assert run(f"SELECT msg_id FROM {place}.archive_message ORDER BY 1") == [(one,) for one in ARCHIVED]
        with pytest.raises(CommandError, match="archived rows"):
            detach()
        undo(job)
        left = digests()
        assert {name: left[name] for name in before} == before
        assert {count for name, (count, _) in left.items() if name not in before} == {0}
        assert "is as it was before" in detach()
        assert schema() == before_tables

    @pytest.mark.slow
    def test_tables_with_rows_stay_if_they_are_left(self, layout: str, place: str):
        before = schema()
        attach(place, "--create-archive", "--create-indexes")
        assert jobs.run("archive", {}, to="tables").job.state == JobState.DONE
        with pytest.raises(CommandError, match=f"have archived rows: .*{place}.archive_message"):
            detach("--discard-archive")
        archived = digests()
        found = json.loads(detach("--discard-archive", "--leave-archive", "--json"))
        assert digests() == archived
        assert found["is_same"]
        assert f"{place}.archive_message" in found["archive_tables"]
        assert schema() != before
        run(f"DROP TABLE {', '.join(found['archive_tables'])}")
        assert schema() == before


class TestRoles:
    """The console's role may read the hub's tables, which belong to another role."""

    @pytest.fixture
    def before(self, place: str) -> Iterator[str]:
        """Let the console use such a role, and return the schema from before."""
        run("CREATE ROLE owner; CREATE ROLE console; CREATE SCHEMA hubconsole AUTHORIZATION console")
        for (table,) in run("SELECT tablename FROM pg_tables WHERE schemaname = %s", place):
            run(f"ALTER TABLE {place}.{table} OWNER TO owner")
        run(f"GRANT CREATE, USAGE ON SCHEMA {place} TO owner; GRANT USAGE ON SCHEMA {place} TO console")
        run(f"GRANT SELECT ON ALL TABLES IN SCHEMA {place} TO console")
        before = schema()
        run("SET ROLE console")
        yield before
        run("RESET ROLE; DROP OWNED BY console, owner CASCADE; DROP ROLE console, owner")

    @pytest.mark.slow
    def test_the_owner_is_given_the_statements(self, place: str, before: str):
        with pytest.raises(
            CommandError, match="Only the owner of the hub's tables may create archive tables"
        ) as told:
            attach(place, "--create-archive")
        run("RESET ROLE")
        assert schema() == before
        run("SET ROLE owner")
        _, _, script = str(told.value).partition("run this again:\n")
        run(script)
        run("RESET ROLE; SET ROLE console")
        attach(place, "--create-archive")
        assert current_attachment().archive_schema == place
        assert "archive_" not in str(refusal_of(Feature.ARCHIVE))
        script, _, revocations = detach().partition("-- The console's roles keep")
        assert script.count("\nDROP TABLE ") == len(TABLES)
        assert "REVOKE" in revocations
        run("RESET ROLE; SET ROLE owner")
        run(script)
        run("RESET ROLE; CREATE SCHEMA hubconsole AUTHORIZATION console")
        assert schema() == before

    @pytest.mark.slow
    def test_the_address_of_the_owner_is_used(self, place: str, before: str, settings):
        settings.OWNER_DATABASE_URL = own_dsn()
        attach(place, "--create-archive")
        assert run(
            f"SELECT tableowner FROM pg_tables WHERE tablename = 'archive_message' AND schemaname = '{place}'"
        ) == [("owner",)]
        assert "is as it was before" in detach()
        run("RESET ROLE; CREATE SCHEMA hubconsole AUTHORIZATION console")
        assert schema() == before

    @pytest.mark.slow
    def test_a_table_that_the_console_may_not_read_could_have_rows(self, place: str, before: str, settings):
        settings.OWNER_DATABASE_URL = own_dsn()
        attach(place, "--create-archive")
        run(f"RESET ROLE; REVOKE SELECT ON {place}.archive_message FROM console; SET ROLE console")
        with pytest.raises(CommandError, match=f"have archived rows: {place}.archive_message"):
            detach()
        run(f"RESET ROLE; GRANT SELECT ON {place}.archive_message TO console; SET ROLE console")
        assert "is as it was before" in detach()
