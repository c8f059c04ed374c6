"""A hub continues while the console attaches to it, is killed, is attached, and detaches."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from io import StringIO
from statistics import median
from time import monotonic

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from hubconsole.checks import Unhealthy
from hubconsole.checks.database import check_server
from hubconsole.suitability import refusal_of_command, refusal_of_database
from messages_app.jobs.connections import own_dsn
from tests.support.attached import ZONE, attached_hub, detach, fill_hub_of_database
from tests.support.databases import schema
from tests.support.eventually import eventually
from tests.support.hubs import LAYOUTS, hub_database
from tests.support.parameters import quick_first

TRIGGERS = "--create-triggers"
INDEXES = "--create-indexes"
MAX_WRITE = 2.0  # seconds
# Hibernate's statements for one message: it inserts, locks, updates and deletes it.
OF_HUB = (
    "INSERT INTO {hub}.message"
    " SELECT (jsonb_populate_record(m, jsonb_build_object('msg_id', {new}, 'correlation_id', '{new}'))).*"
    "   FROM {hub}.message AS m WHERE msg_id = (SELECT min(msg_id) FROM {hub}.message)",
    "SELECT * FROM {hub}.message WHERE msg_id = {new} AND state IN ('PROCESSING', 'FAILED') FOR UPDATE",
    "UPDATE {hub}.message SET state = 'FAILED', last_update_timestamp = localtimestamp WHERE msg_id = {new}",
    "DELETE FROM {hub}.message WHERE msg_id = {new}",
)
# As the JDBC driver looks a table up for Hibernate's validation; its first row is validated.
FIRST_TABLE = """
SELECT nspname
  FROM pg_class
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE relname LIKE 'message' AND relkind IN ('r', 'p', 'v')
 ORDER BY CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, nspname
 LIMIT 1
"""


@pytest.fixture(autouse=True)
def _unblocked(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        yield


@contextmanager
def repeated(act: Callable[[psycopg.Connection], object]) -> Iterator[list[tuple[float, object]]]:
    """Repeat an act in a session of its own during the block; give the seconds and the result of each."""
    ended, found = threading.Event(), []

    def repeat() -> None:
        with psycopg.connect(own_dsn(), autocommit=True) as session:
            while not ended.is_set():
                began = monotonic()
                result = act(session)
                found.append((monotonic() - began, result))

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(repeat)
        try:
            yield found
        finally:
            ended.set()
            running.result()


def writes(place: str, *, new: int = 9001) -> Callable[[psycopg.Connection], None]:
    """Return the statements of one message, which has the id `new`."""

    def write(session: psycopg.Connection) -> None:
        with session.transaction():
            for statement in OF_HUB:
                session.execute(statement.format(hub=place, new=new))

    return write


def first_table(session: psycopg.Connection) -> str:
    ((name,),) = session.execute(FIRST_TABLE).fetchall()
    return name


def run(statement: str, *values: object) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        return cursor.fetchall() if cursor.description else []


def attach(*words: str) -> None:
    call_command("attach", *words, time_zone=ZONE, stdout=StringIO(), stderr=StringIO())


def indexes() -> list[tuple]:
    return run(
        "SELECT count(*), count(*) FILTER (WHERE NOT indisvalid)"
        "  FROM pg_index WHERE indexrelid::regclass::text LIKE %s",
        "%hubc_%",
    )


@pytest.mark.parametrize(
    "layout", quick_first(["OpenHub 2.3", "CleverBus 1.1", "CleverBus 2.0 with archive 0.6"])
)
def test_its_writes_never_wait_and_its_table_is_always_found_first(layout: str):
    place = LAYOUTS[layout].schema
    with hub_database(layout):
        before = schema()
        with repeated(writes(place)) as written, repeated(first_table) as found:
            attach(place, TRIGGERS, INDEXES)
            ((count, incomplete),) = indexes()
            attach(place, TRIGGERS, INDEXES)
            assert "is as it was before" in detach()
        assert schema() == before
    assert count > 40
    assert incomplete == 0
    assert len(written) > 50
    assert max(seconds for seconds, _ in written) < MAX_WRITE
    assert {name for _, name in found} == {place}


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["CleverBus 2.0", "OpenHub 2.3"])
def test_its_writes_never_wait_while_indexes_of_a_large_table_are_created(layout: str):
    place = LAYOUTS[layout].schema
    with hub_database(layout, filled=False):
        fill_hub_of_database(place, messages=430_000)
        with ExitStack() as clients:
            written = [clients.enter_context(repeated(writes(place, new=new))) for new in (9001, 9002, 9003)]
            began = monotonic()
            attach(place, TRIGGERS, INDEXES)
            seconds = monotonic() - began
        ((count, incomplete),) = indexes()
    assert count > 40
    assert incomplete == 0
    for client in written:
        # The client wrote during the whole time, not only before the first lock.
        assert len(client) > seconds
        assert max(seconds for seconds, _ in client) < MAX_WRITE


class TestKilled:
    """The console is killed while a transaction of the hub is open, and then runs again."""

    @staticmethod
    def kill(*words: str, waiting: str) -> None:
        """Run `attach` against an open change of the hub, and end its session while it waits with a query."""
        with psycopg.connect(own_dsn()) as hub, ThreadPoolExecutor(1) as console:
            hub.execute("UPDATE public.message SET failed_count = failed_count WHERE msg_id = 1")
            running = console.submit(_in_own_connection, attach, "public", *words)
            of_console = (
                "SELECT pid FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE %s"
            )
            ((pid,),) = eventually(lambda: run(of_console, waiting))
            run("SELECT pg_terminate_backend(%s)", pid)
            assert isinstance(running.exception(), OperationalError | CommandError)

    @pytest.mark.slow
    def test_in_an_index(self):
        with hub_database("CleverBus 1.1"):
            before = schema()
            self.kill(INDEXES, waiting="CREATE INDEX%")
            assert indexes() == [(1, 1)]
            attach("public", INDEXES)
            ((count, incomplete),) = indexes()
            assert count > 40
            assert incomplete == 0
            detach()
            assert schema() == before

    @pytest.mark.slow
    def test_before_the_triggers(self):
        with hub_database("CleverBus 1.1"):
            before = schema()
            self.kill(TRIGGERS, waiting="%CREATE TRIGGER%")
            assert schema() == before
            attach("public", TRIGGERS)
            assert refusal_of_database() is None


def _in_own_connection(act: Callable, *words: str) -> None:
    try:
        act(*words)
    finally:
        connection.close()


@pytest.mark.parametrize("layout", quick_first(["OpenHub 2.3", "CleverBus 2.0"]))
@pytest.mark.slow
def test_a_recorded_update_takes_few_milliseconds(layout: str):
    with attached_hub(layout, TRIGGERS) as hub, psycopg.connect(own_dsn(), autocommit=True) as session:
        session.execute("SET jit = on")
        seconds = []
        for count in range(100):
            began = monotonic()
            session.execute(
                f"UPDATE {hub.place}.message SET state = %s, last_update_timestamp = localtimestamp"
                " WHERE msg_id = 1",
                [("PROCESSING", "PARTLY_FAILED")[count % 2]],
            )
            seconds.append(monotonic() - began)
        assert median(seconds) < 0.02
        assert hub.run("SELECT count(*) > 90 FROM message_event") == [(True,)]


class TestUpgradeOfTheHub:
    @pytest.mark.slow
    def test_adds_a_column_while_the_console_is_attached(self):
        with attached_hub("CleverBus 2.0", TRIGGERS) as hub:
            hub.run("ALTER TABLE {hub}.message ADD COLUMN further text")
            assert refusal_of_database() is None

    @pytest.mark.slow
    def test_changes_a_column_after_detaching(self):
        wider = "ALTER TABLE {hub}.message ALTER COLUMN state TYPE varchar(25)"
        with attached_hub("CleverBus 2.0", TRIGGERS) as hub:
            with pytest.raises(psycopg.errors.FeatureNotSupported):
                _raw(hub.run, wider)
            detach()
            hub.run(wider)
            attach(hub.place, TRIGGERS)
            assert refusal_of_database() is None

    def test_that_replaces_its_tables_stops_the_console_with_one_line(self):
        with attached_hub("OpenHub 2.3", TRIGGERS) as hub:
            run("DROP SCHEMA openhub CASCADE")
            run(LAYOUTS[hub.layout].script())
            run('SET search_path = hubconsole, "$user", public')
            line = refusal_of_database()
            assert line.startswith("The hub's tables in the schema openhub have changed since the console")
            assert "\n" not in line
            assert refusal_of_command(["cancel"]) == line
            with pytest.raises(Unhealthy):
                check_server()
            attach(hub.place, TRIGGERS)
            assert refusal_of_database() is None
            assert "was changed" not in detach()


def _raw(act: Callable, *values: object) -> None:
    try:
        act(*values)
    except Exception as error:
        raise error.__cause__ from None
