"""Plans that sessions keep, and pickups while a snapshot is held; each statement commits."""

import psycopg
import pytest
from django.db import connection, transaction

from messages_app.cp_queue.errors import MessageNotFound
from messages_app.cp_queue.models import CpFence
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import send_on
from messages_app.cp_queue.services.pickup import get_next, get_next_many
from messages_app.cp_queue.services.reset import reset_message
from tests.messages_app.cp_queue.test_plans import FILLING, QUEUE_TABLES, guid, pick_many, pick_one
from tests.support.plans import index_pages, rows_met
from tests.support.queues import ADA, store, store_many
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)


class TestPlansOfAnEmptyQueue:
    """A session keeps its plans; those of an empty queue must not scan a full one."""

    def test_read_few_rows_of_a_full_one(self):
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE oscpmqueue, cp_deferred, cp_retry, cp_reservation")
        for _ in range(7):
            assert get_next(queues="RENDITION", service="worker") is None
            assert get_next_many(queues="RENDITION", service="worker", count=100) == []
            with pytest.raises(MessageNotFound):
                dispatch_message(guid=guid("gone"), service="worker", reason="OK")
            store("first")
            first = get_next(queues="RENDITION", service="worker")
            assert dispatch_message(guid=first.guid, service="worker", reason="OK").outcome == "done"
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(FILLING)
            assert rows_met(pick_one, QUEUE_TABLES) < 20
            assert rows_met(pick_many, QUEUE_TABLES) < 2_500
            held = get_next(queues="RENDITION", service="W80").guid
            work = lambda: dispatch_message(guid=held, service="W80", reason="OK")  # noqa: E731
            assert rows_met(work, QUEUE_TABLES) < 20


class TestProcessedMessages:
    """They stay in the index until a vacuum; searches skip them one by one, but not their pages."""

    def test_are_not_passed_page_by_page(self):
        store_many(1_000, age="1 hour")
        _process(10_000, age="10 seconds")
        for _ in range(2):
            _search()
        pick_one()
        with transaction.atomic():
            assert index_pages("oscpmqueue_free_idx", pick_one) < 50
        newer = store("newer", osid=7)
        assert get_next(queues="RENDITION", service="worker").guid == newer


class TestAHeldSnapshot:
    """It keeps every processed message in the index of free messages, where a pickup begins."""

    def test_does_not_let_pickups_read_past_all_processed_messages(self):
        store_many(1_000, age="1 hour")
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as holder:
            holder.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            holder.execute("SELECT count(*) FROM oscpmqueue")
            _process(5_000, age="10 seconds")
            pick_one()
            with transaction.atomic():
                assert rows_met(pick_one, QUEUE_TABLES) < 600
            newer = store("newer", osid=7)
            assert get_next(queues="RENDITION", service="worker").guid == newer
            reset_message(guid=newer, actor=ADA)
            assert get_next(queues="RENDITION", service="worker").guid == newer

    def test_hides_no_message_that_becomes_free_behind_it(self):
        store_many(10, age="1 hour")
        held = store("held", osid=8, age="20 seconds", lock="W1")
        late = store("late", osid=9, age="15 seconds", lock="W1")
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as holder:
            holder.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            holder.execute("SELECT count(*) FROM oscpmqueue")
            _process(2_000, age="10 seconds")
            pick_one()
            assert CpFence.objects.exclude(high=None).exists()
            reset_message(guid=held, actor=ADA)
            assert get_next(queues="RENDITION", service="worker").guid == held
            _process(2_000, age="9 seconds")
            pick_one()
            dispatch_message(guid=late, service="W1", reason="RETRY")
            send_on(guid=late, actor=ADA)
            assert get_next(queues="RENDITION", service="worker").guid == late

    def test_hides_a_message_of_another_writer_only_until_the_next_check(self):
        store_many(10, age="1 hour")
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as holder:
            holder.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            holder.execute("SELECT count(*) FROM oscpmqueue")
            _process(2_000, age="10 seconds")
            pick_one()
            late = store("late", osid=9, age="15 seconds")
            with connection.cursor() as cursor:
                cursor.execute("UPDATE cp_fence SET checked_at = checked_at - interval '1 hour'")
            assert get_next(queues="RENDITION", service="worker").guid == late


def _process(count: int, *, age: str) -> None:
    """Create and delete messages that are newer than all others."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created)"
            " SELECT upper(replace(gen_random_uuid()::text, '-', '')), 'RENDITION', 1000000 + n, 65536,"
            "        now() - %s::interval + n * interval '1 microsecond' FROM generate_series(1, %s) AS n",
            [age, count],
        )
        cursor.execute("DELETE FROM oscpmqueue WHERE osid > 1000000")


def _search() -> None:
    """Look for the newest free message by its index, which marks entries of deleted rows."""
    with transaction.atomic(), connection.cursor() as cursor:
        for way in ("seqscan", "bitmapscan", "sort"):
            cursor.execute("SELECT set_config(%s, 'off', true)", [f"enable_{way}"])
        cursor.execute(
            "SELECT created FROM ONLY oscpmqueue WHERE queuename = 'RENDITION' AND lock_service IS NULL"
            " ORDER BY created DESC, messageguid DESC LIMIT 1"
        )
