"""
Each migration is applied to tables with rows while a hub writes and a report reads.

TESTS_MIGRATED_MESSAGES is the number of messages of the slow form.
"""

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, models
from django.db.migrations.loader import MigrationLoader
from django.test.utils import CaptureQueriesContext

from benchmarks.filling import fill_messages
from messages_app.core.table_locks import lock_timeout
from messages_app.jobs.connections import own_dsn
from messages_app.migrations._operations import AddIndexOnline
from tests.support.databases import another_database
from tests.support.eventually import eventually
from tests.support.hub_writers import hub_at_work

# The migrations up to this one create the tables that the hub and the jobs fill.
_FIRST = "0012_first_rows"
# The longest that a statement of the hub may take meanwhile, on two cores that migrations use, too.
MAX_WAIT_SECONDS = 0.5
_MESSAGES = int(os.environ.get("TESTS_MIGRATED_MESSAGES", "100000"))

_ONLINE = models.Index(fields=["version"], name="deployment_version_idx")
_REWRITES = {
    "0013_archive_by_month": "replaces archive tables, but only those without rows",
}
# Rows of the console's own tables that grow with the hub's messages.
_OWN_ROWS = """
INSERT INTO audit_entry (at, actor, token_name, action, outcome, before_state, after_state, reason,
                         subject_kind, subject, request_id, details)
SELECT now(), 'ada', '', 'restart', 'done', '', '', 'a reason', 'message', n, '', '{}'
  FROM generate_series(1, %(number)s) AS n;
INSERT INTO failure_member (msg_id, group_id, at)
SELECT msg_id, 1, receive_timestamp FROM message ORDER BY msg_id LIMIT %(number)s;
INSERT INTO message_rollup (minute, state, service_name, operation_name, source_system, failed_error_code,
                            present, entered)
SELECT date_trunc('minute', receive_timestamp), state, service_name, operation_name, source_system,
       coalesce(failed_error_code, ''), count(*), count(*)
  FROM message GROUP BY 1, 2, 3, 4, 5, 6
"""
_BAD = """
BEGIN;
ALTER TABLE message ADD COLUMN by_row float DEFAULT random();
SELECT pg_sleep(1.2);
COMMIT
"""
_FILES = """
SELECT relname, relfilenode
  FROM pg_class
 WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'm') AND pg_relation_size(oid) > 0
"""


def _migrations() -> list[str]:
    """Return the names of the migrations after the first tables, in order."""
    loader = MigrationLoader(None)
    (leaf,) = loader.graph.leaf_nodes("messages_app")
    plan = [name for app, name in loader.graph.forwards_plan(leaf) if app == "messages_app"]
    return plan[plan.index(_FIRST) + 1 :]


def _files() -> dict[str, int]:
    """Return the file of each table with rows. A table that is rewritten gets another one."""
    with connection.cursor() as cursor:
        cursor.execute(_FILES)
        return dict(cursor.fetchall())


def _gaps() -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT area, sqlstate, reason FROM trigger_gap")
        return cursor.fetchall()


def _fill(messages: int) -> None:
    call_command("migrate", "messages_app", _FIRST, verbosity=0, interactive=False)
    with connection.cursor() as cursor:
        fill_messages(cursor, messages=messages)
        cursor.execute(_OWN_ROWS, {"number": messages // 10})


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_each_migration_rewrites_no_table_and_does_not_keep_the_hub_waiting():
    waits, rewritten = {}, {}
    with another_database("migrated"):
        _fill(_MESSAGES)
        with hub_at_work(own_dsn()) as hub:
            for name in _migrations():
                before = _files()
                hub.longest_wait()
                call_command("migrate", "messages_app", name, verbosity=0, interactive=False)
                waits[name] = hub.longest_wait()
                after = _files()
                if changed := [table for table in before if after.get(table) != before[table]]:
                    rewritten[name] = changed
        gaps = _gaps()
    sys.stdout.write("\n".join(f"{name:42} {seconds * 1000:6.0f} ms" for name, seconds in waits.items()))
    assert hub.errors == []
    assert set(rewritten) <= set(_REWRITES), rewritten
    assert {name: seconds for name, seconds in waits.items() if seconds > MAX_WAIT_SECONDS} == {}
    assert gaps == []


@pytest.mark.django_db(transaction=True)
def test_all_migrations_pass_while_a_hub_writes():
    with another_database("migrated"):
        _fill(200)
        with hub_at_work(own_dsn()) as hub:
            call_command("migrate", verbosity=0, interactive=False)
        assert hub.errors == []
        assert _gaps() == []
    assert len(hub.waits) > 50
    assert max(hub.waits) < MAX_WAIT_SECONDS


@pytest.mark.django_db(transaction=True)
def test_a_rewritten_table_and_a_waiting_hub_are_noticed():
    with another_database("migrated"), connection.cursor() as cursor:
        _fill(200)
        before = _files()
        with hub_at_work(own_dsn()) as hub:
            eventually(lambda: hub.waits)
            cursor.execute(_BAD)
            eventually(lambda: max(hub.waits) > MAX_WAIT_SECONDS)
        assert [table for table, file in _files().items() if before.get(table, file) != file] == ["message"]


@pytest.fixture
def table_with_rows(transactional_db: None) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO deployment (service_name, version, noted_by) SELECT 'billing', n, 'ada'"
            " FROM generate_series(1, 100) AS n"
        )
    yield
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX IF EXISTS {_ONLINE.name}")


def _create_online(*, atomic: bool = False) -> list[str]:
    """Run AddIndexOnline as a migration does; return its statements."""
    before = MigrationLoader(connection).project_state()
    after = before.clone()
    operation = AddIndexOnline("deployment", _ONLINE)
    operation.state_forwards("messages_app", after)
    with CaptureQueriesContext(connection) as queries, connection.schema_editor(atomic=atomic) as editor:
        operation.database_forwards("messages_app", editor, before, after)
    return [query["sql"] for query in queries]


def _is_valid() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = %s::regclass", [_ONLINE.name])
        return cursor.fetchone()[0]


class TestIndexes:
    pytestmark = pytest.mark.usefixtures("table_with_rows")

    def test_are_created_while_others_write_to_the_table(self):
        with psycopg.connect(own_dsn()) as other, ThreadPoolExecutor(1) as pool:
            other.execute("UPDATE deployment SET note = 'x' WHERE version = '1'")
            creating = pool.submit(self._create_in_a_thread)
            # It waits for this transaction, and a later writer does not wait for it.
            time.sleep(0.5)
            with psycopg.connect(own_dsn(), options="-c lock_timeout=1s") as later:
                later.execute("UPDATE deployment SET note = 'y' WHERE version = '2'")
            assert not creating.done()
            other.commit()
            creating.result(20)
        assert _is_valid()

    @staticmethod
    def _create_in_a_thread() -> None:
        with lock_timeout("150ms"):
            _create_online()
        connection.close()

    def test_replace_what_an_interrupted_attempt_has_left(self):
        statement = f"CREATE UNIQUE INDEX CONCURRENTLY {_ONLINE.name} ON deployment (service_name)"
        with (
            psycopg.connect(own_dsn(), autocommit=True) as session,
            pytest.raises(psycopg.errors.UniqueViolation),
        ):
            session.execute(statement)
        assert not _is_valid()
        _create_online()
        assert _is_valid()

    def test_are_created_plainly_in_the_one_transaction_of_attach(self):
        assert not any("CONCURRENTLY" in statement for statement in _create_online(atomic=True))
        assert _is_valid()
