"""Counting again on Spark: the counts match the tables, also while a hub continues."""

import threading

import psycopg
import pyarrow as pa
import pytest
from django.db.models import Sum

from messages_app.jobs.connections import database_dsn
from messages_app.messages.metrics.models import MessageRollup, MessageTook
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message, MessageEvent
from spark_tasks.counts import COLUMNS, count_bounds, one_snapshot, replace_counts, snapshot_parts
from spark_tasks.session import spark_session
from tests.hostile.rows import LONG_NUMBERS
from tests.messages_app.messages.metrics.counting import counted_by_day, counts_by_day, entries
from tests.support.factories import make_archived_message, make_message, make_messages
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def spark(spark_remote):
    with spark_session(spark_remote) as session:
        yield session


class TestRecount:
    def test_agrees_with_the_counts_of_the_passes(self, spark):
        make_messages(200)
        make_message(state="FAILED", failed_error_code="E103")
        Message.objects.filter(state="OK").update(state="FAILED", failed_error_code="E101")
        Message.objects.filter(failed_error_code="E101").update(state="PARTLY_FAILED")
        fold_changes()
        before = entries(), counts_by_day()
        timed = MessageTook.objects.aggregate(messages=Sum("messages"))
        assert timed == {"messages": 200}
        MessageTook.objects.update(messages=7)
        MessageRollup.objects.all().delete()
        assert replace_counts(spark, dsn=database_dsn()) > 0
        assert (entries(), counts_by_day()) == before
        assert MessageTook.objects.aggregate(messages=Sum("messages")) == timed
        assert fold_changes() == 0

    def test_counts_what_was_archived_as_entered_and_no_longer_there(self, spark):
        for msg_id in (7, *LONG_NUMBERS):
            make_archived_message(msg_id=msg_id, state="OK")
        replace_counts(spark, dsn=database_dsn())
        assert (entries(), counts_by_day()) == ({"OK": 6}, set())

    def test_is_exact_next_to_a_hub_that_continues(self, spark):
        make_messages(2_000)
        ids = list(Message.objects.values_list("pk", flat=True))
        done = threading.Event()

        def go_on() -> None:
            with psycopg.connect(database_dsn(), autocommit=True) as hub:
                for msg_id in ids:
                    hub.execute("UPDATE message SET state = 'CANCEL' WHERE msg_id = %s", [msg_id])
                    if done.is_set():
                        return

        def rebuild() -> None:
            try:
                replace_counts(spark, dsn=database_dsn())
            finally:
                done.set()

        def keep_folding() -> None:
            while not done.wait(0.05):
                fold_changes(most=20)

        assert in_threads(go_on, rebuild, keep_folding) == [None, None, None]
        fold_changes()
        assert counts_by_day() == counted_by_day()


def messages_of_parts(query: str, *, of_events: bool = False) -> list[int]:
    """Return the number of messages, or of entered states, that each part counts."""
    with one_snapshot(database_dsn(), "hubconsole message_rollup") as (connection, snapshot):
        bounds = count_bounds(connection)
        parts = snapshot_parts(
            database_dsn(), snapshot, query, bounds[2:] if of_events else bounds[:2], COLUMNS
        )
        return [
            sum(present + entered for batch in part() for *_, present, entered in batch_rows(batch))
            for part in parts
        ]


def batch_rows(batch: pa.RecordBatch) -> list[tuple]:
    return [tuple(row.values()) for row in batch.to_pylist()]


class TestParts:
    @pytest.fixture(autouse=True)
    def small_parts(self, monkeypatch):
        monkeypatch.setattr("spark_tasks.counts._IDS_A_TASK", 1_000)

    @pytest.mark.parametrize("query", ["count_messages", "count_arrivals"])
    def test_are_about_equal_and_complete_next_to_ids_at_the_ends_of_the_type(self, query):
        for msg_id in (*LONG_NUMBERS, -(2**63) + 1, 2**63 - 2):
            make_message(msg_id=msg_id)
        make_messages(6_000)
        counted = messages_of_parts(query)
        assert sum(counted) == 6_007
        assert len(counted) >= 4
        assert max(counted) <= 2_100

    def test_of_changes_are_about_equal_and_complete(self):
        make_messages(3_000)
        for state in ("FAILED", "CANCEL"):
            Message.objects.update(state=state)
        events = MessageEvent.objects.order_by("pk")
        events.filter(pk=events.first().pk).update(event_id=-(2**63))
        events.filter(pk=events.last().pk).update(event_id=2**63 - 1)
        total = events.count()
        counted = messages_of_parts("count_entries", of_events=True)
        assert sum(counted) == total >= 5_000
        assert len(counted) >= 3
        assert max(counted) <= 2_100

    def test_of_few_messages_are_one_whatever_their_ids(self):
        for msg_id in LONG_NUMBERS:
            make_message(msg_id=msg_id)
        make_archived_message(msg_id=7)
        assert messages_of_parts("count_arrivals") == [6]

    def test_are_empty_without_messages(self):
        assert messages_of_parts("count_messages") == []
