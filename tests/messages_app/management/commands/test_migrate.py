"""A migration waits briefly for locks of others, lets them pass, and is attempted again."""

import io
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connection

from messages_app.jobs.connections import own_dsn
from messages_app.management.commands import migrate
from tests.support.databases import another_database

pytestmark = pytest.mark.django_db(transaction=True)

# The next migration gives this table a column.
_BEFORE, _NEXT, _TABLE = "0013_archive_by_month", "0014_incidents", "failure_member"
_WRITE = "INSERT INTO failure_member (msg_id, group_id, at) VALUES (1, 1, now())"


@pytest.fixture(scope="module")
def template(django_db_setup, django_db_blocker) -> str:
    """Make a database with the migrations before, and return its name."""
    with django_db_blocker.unblock(), another_database("template_older", stays=True) as name:
        call_command("migrate", "messages_app", _BEFORE, verbosity=0, interactive=False)
        return name


@pytest.fixture(autouse=True)
def older_database(template: str) -> Iterator[None]:
    with another_database("older", template=template):
        yield


@contextmanager
def held_table(seconds: float) -> Iterator[None]:
    """Let a session read the table, and keep its transaction open, at most until the block ends."""
    is_held, is_over = threading.Event(), threading.Event()

    def hold() -> None:
        with psycopg.connect(own_dsn()) as session:
            session.execute(f"SELECT FROM {_TABLE}")
            is_held.set()
            is_over.wait(seconds)

    holder = threading.Thread(target=hold)
    holder.start()
    is_held.wait()
    try:
        yield
    finally:
        is_over.set()
        holder.join()


def apply_next() -> str:
    output = io.StringIO()
    call_command("migrate", "messages_app", _NEXT, stdout=output, interactive=False)
    return output.getvalue()


def has_column() -> bool:
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, _TABLE)
    return "cell_id" in {column.name for column in columns}


def test_a_locked_table_is_changed_once_it_is_free_and_writers_pass_meanwhile():
    waits = []

    def write() -> None:
        with psycopg.connect(own_dsn(), autocommit=True) as hub:
            for _ in range(40):
                began = time.monotonic()
                hub.execute(_WRITE + " ON CONFLICT DO NOTHING")
                waits.append(time.monotonic() - began)
                time.sleep(0.05)

    with held_table(2.0):
        writer = threading.Thread(target=write)
        writer.start()
        output = apply_next()
        writer.join()
    assert "Another session uses a table that this migration changes. Trying again." in output
    assert has_column()
    # The longest is behind one attempt, which waits 150 ms; without a limit, it would be 2 s.
    assert 0.1 < max(waits) < 1.2


def test_a_table_that_stays_locked_is_reported_with_what_to_do(monkeypatch):
    monkeypatch.setattr(migrate, "ATTEMPTS", 2)
    with held_table(120.0), pytest.raises(CommandError) as refusal:
        apply_next()
    assert str(refusal.value) == (
        "Other sessions used a table that a migration changes, in all of 2 attempts. The migrations before"
        " it are applied, and it is not. End backups and other long transactions, then run this again."
    )
    assert not has_column()


def test_other_errors_are_not_repeated():
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE incident ()")
    with pytest.raises(ProgrammingError, match="already exists"):
        apply_next()


def test_the_session_waits_for_locks_as_before_afterwards():
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '7s'")
        apply_next()
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("7s",)


def test_a_running_vacuum_gets_the_time_to_let_go_of_its_table():
    assert migrate._wait_of_attempt() == "150ms"
    with psycopg.connect(own_dsn(), autocommit=True) as session:
        session.execute("CREATE TABLE large AS SELECT n FROM generate_series(1, 200000) AS n")
        session.execute("SET vacuum_cost_delay = 100; SET vacuum_cost_limit = 1")
        vacuum = threading.Thread(target=_vacuum, args=[session])
        vacuum.start()
        until = time.monotonic() + 10
        while migrate._wait_of_attempt() == "150ms" and time.monotonic() < until:
            time.sleep(0.01)
        assert migrate._wait_of_attempt() == "1200ms"
        session.cancel_safe()
        vacuum.join()


def _vacuum(session: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.QueryCanceled):
        session.execute("VACUUM large")
