"""Django's connection reads and writes every time that PostgreSQL can store."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from django.db import connection

from messages_app.core.statements import Statements
from messages_app.jobs.connections import own_dsn
from messages_app.messages.models import Message
from messages_app.shared.far_times import ENDLESS, parse_time
from spark_tasks.database import connect_to_database
from tests.hostile.rows import TIMES
from tests.support.factories import NOON, make_message

# Written out as PostgreSQL shows the TIMES in UTC.
TEXTS = [
    "infinity",
    "-infinity",
    "12026-11-27 00:00:00+00:00",
    "0044-03-15 00:00:00+00:00 BC",
    "10000-01-01 05:00:00+00:00",
    "0001-12-31 23:02:16+00:00 BC",
    "9999-12-31 23:59:59.999999+00:00",
    "0001-01-01 00:00:00+00:00",
    "294276-12-30 23:59:59.999999+00:00",
    "4714-11-25 00:00:00+00:00 BC",
    "294276-12-31 23:59:59.999999+00:00",
    "4714-11-24 00:00:00+00:00 BC",
]


@pytest.mark.django_db
class TestConnection:
    def test_reads_far_times_one_by_one_and_in_lists(self):
        with connection.cursor() as cursor:
            cursor.execute("SELECT unnest(%s::timestamptz[])", [list(TIMES)])
            assert [str(row[0]) for row in cursor] == TEXTS
            cursor.execute("SELECT %s::timestamptz[]", [list(TIMES)])
            assert list(map(str, cursor.fetchone()[0])) == TEXTS

    def test_reads_ordinary_times_as_before(self):
        with connection.cursor() as cursor:
            cursor.execute("SELECT '2026-11-01 12:00:00.5+00'::timestamptz")
            (moment,) = cursor.fetchone()
        assert (moment, type(moment), moment.tzinfo) == (NOON + timedelta(seconds=0.5), datetime, UTC)

    @pytest.mark.parametrize("text", TEXTS)
    def test_writes_what_it_has_read(self, text):
        message = make_message(msg_timestamp=parse_time(text))
        assert str(message.msg_timestamp) == text
        assert Message.objects.get(msg_timestamp=message.msg_timestamp).pk == message.pk

    def test_writes_them_by_prepared_statements_too(self):
        statements = Statements("tests.hubconsole")
        values = {"moment": parse_time("12026-11-27 00:00:00+00")}
        assert str(statements.only_row("same_time", values, prepare=True)[0]) == "12026-11-27 00:00:00+00:00"

    def test_reads_endless_differences(self):
        if connection.pg_version < 17_00_00:  # It has none.
            return
        with connection.cursor() as cursor:
            cursor.execute("SELECT now() - 'infinity'::timestamptz, 'infinity'::timestamptz - now()")
            assert cursor.fetchone() == (-ENDLESS, ENDLESS)


@pytest.mark.django_db
def test_the_connections_of_executors_read_and_write_them_too():
    with connect_to_database(own_dsn()) as session:
        row = session.execute("SELECT %s::timestamptz, %s", ["infinity", parse_time(TEXTS[2])]).fetchone()
    assert list(map(str, row)) == ["infinity", TEXTS[2]]


@pytest.mark.django_db
def test_a_connection_without_them_cannot_read_such_times():
    """The reason for this engine: psycopg itself refuses them."""
    with psycopg.connect(own_dsn()) as session, pytest.raises(psycopg.DataError):
        session.execute("SELECT 'infinity'::timestamptz").fetchone()
