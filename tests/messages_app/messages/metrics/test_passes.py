import random
import threading
from datetime import timedelta

import psycopg
import pytest
from django.db import connection, transaction

from messages_app.core.clock import database_clock
from messages_app.messages.metrics.models import (
    MessageChange,
    MessageGauge,
    MessageRollup,
    MessageTook,
    RollupPass,
)
from messages_app.messages.metrics.passes import coarsen_counts, fold_changes
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState
from tests.messages_app.messages.metrics.counting import (
    counted_by_day,
    counted_one_by_one,
    counts,
    counts_by_day,
    entries,
)
from tests.support.factories import NOON, make_message, make_messages
from tests.support.threads import in_threads
from tests.support.transaction_time import transaction_time
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db

WRITERS, ROUNDS = 4, 60
_DAY = NOON.replace(hour=0)


class TestFold:
    def test_counts_stored_changed_and_deleted_messages(self):
        make_messages(500)
        failed = make_message(state="FAILED", failed_error_code="E103")
        Message.objects.filter(pk=failed.pk).update(state="PARTLY_FAILED")
        Message.objects.filter(service_name="billing", msg_id__lt=failed.pk - 100).update(state="CANCEL")
        Message.objects.filter(msg_id__in=[failed.pk - 1, failed.pk - 2]).delete()
        fold_changes()
        assert counts_by_day() == counted_by_day()

    def test_subtracts_deleted_old_messages_from_their_day(self):
        make_messages(40, step=timedelta(seconds=30))
        Message.objects.all().delete()
        gone = MessageChange.objects.filter(present__lt=0).values_list("minute", "present")
        assert list(gone) == [(_DAY, -40)]

    def test_subtracts_deleted_messages_of_today_from_their_minute(self):
        make_messages(4, first=database_clock() - timedelta(minutes=70))
        Message.objects.filter(pk=Message.objects.earliest("pk").pk).delete()
        fold_changes()
        assert counts() == counted_one_by_one()

    def test_counts_every_change_once(self):
        make_messages(30)
        assert (fold_changes(most=1), MessageChange.objects.count()) == (1, 0)
        before = counts()
        assert (fold_changes(), counts()) == (0, before)

    def test_writes_no_change_for_columns_that_are_not_counted(self):
        make_messages(3)
        fold_changes()
        Message.objects.update(custom_data="x", failed_count=2)
        assert not MessageChange.objects.exists()

    def test_counts_how_often_each_state_was_entered(self):
        make_messages(3)
        for state in ("FAILED", "PARTLY_FAILED", "FAILED", "OK"):
            Message.objects.update(state=state)
        Message.objects.update(custom_data="x")
        Message.objects.all().delete()
        fold_changes()
        assert entries() == {"OK": 6, "FAILED": 6, "PARTLY_FAILED": 3}
        assert counts_by_day() == set()

    def test_does_not_count_a_restored_message_as_entering_its_state(self):
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('hubconsole.restoring', 'on', true)")
        make_messages(3)
        fold_changes()
        assert (entries(), counts()) == ({}, counted_one_by_one())

    def test_counts_deletions_with_triggers_off(self):
        make_messages(3)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute("DELETE FROM message WHERE msg_id = (SELECT min(msg_id) FROM message)")
            cursor.execute("SET LOCAL session_replication_role TO DEFAULT")
        fold_changes()
        assert counts_by_day() == counted_by_day()

    def test_does_not_count_truncated_messages(self):
        make_messages(300)
        fold_changes()
        make_messages(3, first=NOON + timedelta(days=1))
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE message CASCADE")
        make_message(state="FAILED")
        fold_changes()
        assert counts() == counted_one_by_one()

    def test_counts_the_times_of_messages_that_succeeded_or_failed(self):
        now = database_clock()
        for seconds in (900, 100, 100):
            make_message(state="PROCESSING", receive_timestamp=now - timedelta(seconds=seconds))
        make_message(state="OK", receive_timestamp=now - timedelta(hours=1))
        for state in ("WAITING", "FAILED", "CANCEL"):
            Message.objects.filter(state__in=("PROCESSING", "WAITING", "FAILED")).update(state=state)
        fold_changes()
        took = MessageTook.objects.order_by("step").values_list("service_name", "step", "messages")
        # 2 ** (26 / 4) = 91 and 2 ** (39 / 4) = 861 seconds.
        assert list(took) == [("billing", 26, 2), ("billing", 39, 1)]

    def test_counts_the_time_of_a_message_once_even_if_its_row_changes_later(self):
        now = database_clock()
        message = make_message(
            state="PROCESSING",
            receive_timestamp=now - timedelta(seconds=100),
            last_process_timestamp=now - timedelta(minutes=5),
        )
        Message.objects.filter(pk=message.pk).update(state="OK")
        for minutes in (3, 0):  # the last time is in the minute of the write
            touched = now - timedelta(minutes=minutes)
            Message.objects.filter(pk=message.pk).update(last_process_timestamp=touched)
        fold_changes()
        assert list(MessageTook.objects.values_list("step", "messages")) == [(26, 1)]
        assert entries()["OK"] == 1

    def test_records_its_run(self):
        make_messages(3)
        fold_changes()
        assert RollupPass.objects.get(pk="fold").rows == 1


@pytest.mark.django_db(transaction=True)
class TestFoldDuringWrites:
    def test_is_exact(self):
        """Writers commit late and out of order, some roll back, some delete; passes run at the same time."""
        make_messages(400, first=database_clock() - timedelta(minutes=10))
        ids = list(Message.objects.values_list("pk", flat=True))
        writing = threading.Event()

        def write(seed: int) -> None:
            try:
                _write(random.Random(seed), ids)  # noqa: S311
            finally:
                finished.append(seed)
                if len(finished) == WRITERS:
                    writing.set()

        def keep_folding() -> None:
            while not writing.wait(0.01):
                fold_changes(most=50)

        finished: list[int] = []
        writers = [lambda seed=seed: write(seed) for seed in range(WRITERS)]
        assert in_threads(*writers, keep_folding, keep_folding) == [None] * (WRITERS + 2)
        fold_changes()
        assert counts() == counted_one_by_one()
        assert not MessageChange.objects.exists()

    def test_does_nothing_while_another_pass_runs(self):
        make_messages(3)
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as other:
            other.execute("SELECT pg_advisory_xact_lock(hashtextextended('hubconsole message_rollup', 0))")
            assert fold_changes() == 0
        assert fold_changes() == 1


def _write(generator: random.Random, ids: list[int]) -> None:
    """Change, store and delete messages as a hub does, several in a transaction, by the order of ids."""
    states = list(MessageState)
    with psycopg.connect(database_of_tests()["DATABASE_URL"]) as hub:
        for _ in range(ROUNDS):
            for msg_id in sorted(generator.sample(ids, 5)):
                _change(hub, msg_id, generator.choice(states), generator.choice(["E101", "E103", None]))
            if generator.random() < 0.1:
                hub.execute("DELETE FROM message WHERE msg_id = %s", [generator.choice(ids)])
            (hub.rollback if generator.random() < 0.2 else hub.commit)()


def _change(hub: psycopg.Connection, msg_id: int, state: str, code: str | None) -> None:
    hub.execute(
        "UPDATE message SET state = %s, failed_error_code = %s, last_process_timestamp = clock_timestamp()"
        " - %s * interval '1 minute' WHERE msg_id = %s",
        [state, code, msg_id % 7, msg_id],
    )


class TestCoarsen:
    def test_merges_old_minutes_into_days(self):
        make_messages(300)
        Message.objects.filter(msg_id__lte=Message.objects.order_by("pk")[99].pk).update(state="FAILED")
        fold_changes()
        before = entries()
        assert coarsen_counts(most=3) > 3
        present = MessageRollup.objects.filter(present__gt=0)
        found = set(present.values_list("minute", "state", "present"))
        assert found == {(_DAY, "FAILED", 100), (_DAY, "OK", 200)}
        assert (coarsen_counts(), entries()) == (0, before)

    def test_merges_later_changes_of_an_old_minute(self):
        make_messages(300)
        fold_changes()
        coarsen_counts()
        Message.objects.filter(receive_timestamp__gt=NOON + timedelta(minutes=2)).delete()
        fold_changes()
        coarsen_counts()
        (row,) = MessageRollup.objects.filter(present__gt=0)
        assert (row.minute, row.present) == (_DAY, Message.objects.count())

    def test_merges_the_minutes_of_yesterday_into_hours(self):
        hour = (database_clock() - timedelta(hours=30)).replace(minute=0, second=0, microsecond=0)
        make_messages(40, first=hour)
        fold_changes()
        MessageTook.objects.create(minute=hour + timedelta(minutes=5), service_name="a", step=3, messages=2)
        MessageTook.objects.create(minute=hour - timedelta(days=40), service_name="a", step=3, messages=2)
        coarsen_counts()
        assert set(MessageRollup.objects.filter(present__gt=0).values_list("minute", flat=True)) == {hour}
        (took,) = MessageTook.objects.all()
        assert (took.minute, took.messages) == (hour, 2)

    def test_takes_no_time_of_processing_that_is_recent_or_already_merged(self):
        now = transaction_time()
        hour = now.replace(minute=0, second=0, microsecond=0)
        kept = {now - timedelta(hours=25), hour - timedelta(hours=30)}
        for minute in (*kept, now - timedelta(days=40, microseconds=1)):
            MessageTook.objects.create(minute=minute, service_name="a", step=3, messages=2)
        coarsen_counts()
        assert RollupPass.objects.get(pk="coarsen_took").rows == 1
        assert set(MessageTook.objects.values_list("minute", "messages")) == {(minute, 2) for minute in kept}

    def test_keeps_times_of_processing_of_eight_days(self):
        last = transaction_time() - timedelta(days=8)
        MessageTook.objects.create(minute=last, service_name="a", step=3, messages=2)
        coarsen_counts()
        hour = last.replace(minute=0, second=0, microsecond=0)
        assert list(MessageTook.objects.values_list("minute", "messages")) == [(hour, 2)]

    def test_merges_times_of_processing_into_days(self):
        day = transaction_time().replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=39)
        for hour in (0, 23):
            at = day + timedelta(hours=hour)
            MessageTook.objects.create(minute=at, service_name="a", step=3, messages=2)
        coarsen_counts()
        assert list(MessageTook.objects.values_list("minute", "messages")) == [(day, 4)]

    def test_adds_up_times_of_one_hour_service_and_step(self):
        hour = (database_clock() - timedelta(hours=30)).replace(minute=0, second=0, microsecond=0)
        for minutes, name, step, messages in (
            (0, "a", 3, 1), (5, "a", 3, 2), (10, "a", 3, 4), (5, "a", 4, 8), (5, "b", 3, 16),
            (60, "a", 3, 32),
        ):  # fmt: skip
            at = hour + timedelta(minutes=minutes)
            MessageTook.objects.create(minute=at, service_name=name, step=step, messages=messages)
        coarsen_counts(most=2)
        assert set(MessageTook.objects.values_list("minute", "service_name", "step", "messages")) == {
            (hour, "a", 3, 7),
            (hour, "a", 4, 8),
            (hour, "b", 3, 16),
            (hour + timedelta(minutes=60), "a", 3, 32),
        }

    def test_deletes_gauges_that_are_older_than_any_page_shows(self):
        now = database_clock()
        for days in (9, 7):
            MessageGauge.objects.create(
                minute=now - timedelta(days=days), state="", messages=days, long=0, since=None
            )
        coarsen_counts()
        assert [each.messages for each in MessageGauge.objects.all()] == [7]

    def test_does_not_merge_minutes_that_pages_show(self):
        make_messages(70, first=database_clock() - timedelta(minutes=70))
        fold_changes()
        assert coarsen_counts() == 0


class TestPublishedTables:
    def test_are_emptied_although_they_have_no_key(self):
        with connection.cursor() as cursor:
            cursor.execute("CREATE PUBLICATION everything FOR ALL TABLES")
            make_message(state="OK")
            fold_changes()
            cursor.execute("SELECT count(*) FROM message_change")
            assert cursor.fetchone() == (0,)
