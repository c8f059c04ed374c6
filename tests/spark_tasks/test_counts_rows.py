"""The rows of the statements that count again, and what replaces the counts: written out for each message."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from django.db import connection

from messages_app.messages.metrics.models import MessageRollup, MessageTook
from messages_app.messages.models import MessageEvent
from messages_app.shared.sql_files import SqlFiles
from spark_tasks.counts import _replace_rows, _text_of_query
from tests.messages_app.erasure.test_sql_messages import make_cold_message
from tests.support.factories import make_archived_message, make_message
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
OLD = datetime(2026, 5, 6, tzinfo=UTC)
NAMES = {"service_name": "orders", "operation_name": "create", "source_system": "CRM"}
OTHERS = {"service_name": "billing", "operation_name": "pay", "source_system": "ERP"}
KEY, OTHER = tuple(NAMES.values()), tuple(OTHERS.values())


def run(name: str, **values: object) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(SqlFiles("spark_tasks").read_text(name), values)
        return sorted(tuple(row) for row in cursor)


def second(at: datetime) -> int:
    return int(at.timestamp())


def enter(event_id: int, msg_id: int, before: str, after: str, at: datetime) -> None:
    MessageEvent.objects.create(event_id=event_id, msg_id=msg_id, from_state=before, to_state=after, at=at)


@pytest.fixture
def now() -> datetime:
    """Return the start of an hour that is at least an hour and less than two hours ago."""
    return (transaction_time() - HOUR).replace(minute=0, second=0, microsecond=0)


@pytest.fixture(autouse=True)
def messages(now) -> None:
    """Store messages 1 to 7: of two services, live and archived, recent and old."""
    for msg_id, make, columns in (
        (
            1,
            make_message,
            {"state": "FAILED", "failed_error_code": "E1", "receive_timestamp": now - 9 * MINUTE},
        ),
        (2, make_message, {"state": "FAILED", "failed_error_code": "E1", "receive_timestamp": now}),
        (3, make_message, {"state": "NEW", "receive_timestamp": OLD + HOUR, **OTHERS}),
        (4, make_archived_message, {"state": "OK", "receive_timestamp": OLD}),
        (5, make_archived_message, {"state": "CANCEL", "receive_timestamp": now, **OTHERS}),
        (7, make_message, {"state": "FAILED", "failed_error_code": "E2", "receive_timestamp": now - HOUR}),
    ):
        make(msg_id=msg_id, **NAMES | columns)
    make_cold_message(6, **{**NAMES, "state": "FAILED", "failed_error_code": "E3", "receive_timestamp": OLD})
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE message SET last_process_timestamp = %s WHERE msg_id IN (1, 7)", [now + 59 * MINUTE / 60]
        )
    MessageEvent.objects.all().delete()


class TestCountMessages:
    def test_has_the_live_messages_of_the_ids_by_their_last_change(self, now):
        assert run("count_messages", first=1, last=5) == sorted(
            [(second(now), "FAILED", *KEY, "E1", 2, 0), (second(OLD), "NEW", *OTHER, "", 1, 0)]
        )
        assert run("count_messages", first=2, last=6) == sorted(
            [(second(now), "FAILED", *KEY, "E1", 1, 0), (second(OLD), "NEW", *OTHER, "", 1, 0)]
        )
        assert run("count_messages", first=7, last=7) == [(second(now), "FAILED", *KEY, "E2", 1, 0)]


class TestCountArrivals:
    def test_has_all_messages_in_the_state_before_their_first_change(self, now):
        enter(2, 1, "PROCESSING", "FAILED", now + 5 * MINUTE), enter(3, 1, "WAITING", "FAILED", now)
        enter(1, 4, "NEW", "OK", now)
        rows = [
            (second(now - 9 * MINUTE), "PROCESSING", *KEY, "", 0, 1),
            (second(now), "FAILED", *KEY, "E1", 0, 1),
            (second(OLD), "NEW", *OTHER, "", 0, 1),
            (second(OLD), "NEW", *KEY, "", 0, 1),
            (second(now), "CANCEL", *OTHER, "", 0, 1),
            (second(OLD), "FAILED", *KEY, "E3", 0, 1),
            (second(now), "FAILED", *KEY, "E2", 0, 1),
        ]
        assert run("count_arrivals", first=1, last=7) == sorted(rows)
        assert run("count_arrivals", first=4, last=6) == sorted(rows[3:6])
        assert run("count_arrivals", first=6, last=6) == [rows[5]]
        assert run("count_arrivals", first=1, last=3) == sorted(rows[:3])


class TestCountEntries:
    def test_has_the_changes_of_the_ids_with_the_names_of_their_messages(self, now):
        for event_id, (msg_id, state, at) in enumerate(
            (
                (1, "FAILED", now + MINUTE),
                (2, "FAILED", now + 1.5 * MINUTE),
                (2, "PARTLY_FAILED", now + MINUTE),
                (2, "CANCEL", now + MINUTE),
                (3, "OK", OLD + 5 * HOUR),
                (4, "OK", now),
                (5, "CANCEL", now),
                (6, "FAILED", now),
                (9, "OK", now),
                (3, "FAILED", now),
                (7, "FAILED", now),
            ),
            start=10,
        ):
            enter(event_id, msg_id, "PROCESSING", state, at)
        rows = [
            (second(now + MINUTE), "FAILED", *KEY, "E1", 0, 2),
            (second(now + MINUTE), "PARTLY_FAILED", *KEY, "E1", 0, 1),
            (second(now + MINUTE), "CANCEL", *KEY, "", 0, 1),
            (second(OLD), "OK", *OTHER, "", 0, 1),
            (second(now), "OK", *KEY, "", 0, 1),
            (second(now), "CANCEL", *OTHER, "", 0, 1),
            (second(now), "FAILED", *KEY, "E3", 0, 1),
            (second(now), "FAILED", *OTHER, "", 0, 1),
        ]
        assert run("count_entries", first=10, last=19) == sorted(rows)
        assert run("count_entries", first=12, last=15) == sorted(rows[1:5])


class TestCountTook:
    def test_has_the_times_to_ok_and_failed_of_eight_days(self, now):
        edge = transaction_time() - 8 * DAY
        for event_id, (msg_id, before, after, at) in enumerate(
            (
                (1, "PROCESSING", "FAILED", now + MINUTE),  # 10 minutes
                (1, "FAILED", "OK", now + 4 * MINUTE),  # 13 minutes
                (1, "FAILED", "FAILED", now + 4 * MINUTE),
                (1, "PROCESSING", "CANCEL", now + 4 * MINUTE),
                (2, "NEW", "OK", now + 10 * MINUTE),
                (2, "NEW", "OK", now + 14 * MINUTE),
                (5, "NEW", "OK", now + 12 * MINUTE),
                (4, "NEW", "OK", edge),
                (4, "NEW", "OK", edge - timedelta(microseconds=1)),
                (6, "NEW", "OK", edge),
            ),
            start=10,
        ):
            enter(event_id, msg_id, before, after, at)
        hour = edge.replace(minute=0, second=0, microsecond=0)
        # 2 ** (36 / 4) = 512 seconds, 2 ** (38 / 4) = 724, 2 ** (37 / 4) = 609.
        step_of_months = 95
        rows = [
            (second(now), "orders", 36, 1),
            (second(now), "orders", 38, 1),
            (second(now + 10 * MINUTE), "orders", 36, 1),
            (second(now + 10 * MINUTE), "orders", 38, 1),
            (second(now + 10 * MINUTE), "billing", 37, 1),
        ]
        found = run("count_took", first=10, last=19)
        old = [row for row in found if row[0] == second(hour)]
        assert [(row[1], row[3]) for row in old] == [("orders", 2)]
        assert old[0][2] >= step_of_months - 10
        assert [row for row in found if row not in old] == sorted(rows)
        assert run("count_took", first=11, last=14) == sorted(rows[1:3])

    def test_has_the_times_of_an_hour_from_25_hours_on(self, now):
        edge = transaction_time() - 25 * HOUR
        for event_id, at in ((1, edge - timedelta(microseconds=1)), (2, edge)):
            enter(event_id, event_id, "NEW", "OK", at)
        five = edge.replace(minute=edge.minute // 5 * 5, second=0, microsecond=0)
        hour = (edge - timedelta(microseconds=1)).replace(minute=0, second=0, microsecond=0)
        assert [row[0] for row in run("count_took", first=1, last=1)] == [second(hour)]
        assert [row[0] for row in run("count_took", first=2, last=2)] == [second(five)]


class TestPolledMessages:
    @pytest.mark.parametrize("name", ["count_messages", "count_arrivals"])
    def test_are_counted_instead_of_those_of_the_hub(self, name):
        text = _text_of_query(f"{name}_of_polled")
        assert text == SqlFiles("spark_tasks").read_text(name).replace(
            "FROM message\n", "FROM polled_message\n"
        )
        assert "FROM message\n" not in text
        assert "FROM polled_message\n" in text
        assert _text_of_query(name) == SqlFiles("spark_tasks").read_text(name)


class TestReplaceRows:
    def test_replaces_all_rows_with_their_columns_in_order(self, now):
        MessageRollup.objects.create(
            minute=now, present=1, entered=1, state="OK", failed_error_code="", **NAMES
        )
        MessageTook.objects.create(minute=now, service_name="a", step=1, messages=1)
        counts = [[second(now), "FAILED", *KEY, "E1", 7, 8], [second(OLD), "OK", *OTHER, "", 9, 10]]
        connection.ensure_connection()
        database: psycopg.Connection = connection.connection
        _replace_rows(database, "counts", counts)
        columns = ("minute", "state", *NAMES, "failed_error_code", "present", "entered")
        assert set(MessageRollup.objects.values_list(*columns)) == {
            (now, "FAILED", *KEY, "E1", 7, 8),
            (OLD, "OK", *OTHER, "", 9, 10),
        }
        _replace_rows(database, "took", [[second(now), "orders", 3, 4]])
        took = MessageTook.objects.values_list("minute", "service_name", "step", "messages")
        assert list(took) == [(now, "orders", 3, 4)]
