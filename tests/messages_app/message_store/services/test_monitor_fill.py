"""The messages that the monitor queues and takes back; each row contradicts one condition."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from messages_app.message_store import selectors
from messages_app.message_store.models import MessageLine, MessageProcess, MessageStore
from messages_app.message_store.monitor_models import StoreScan, StoreTimeout
from messages_app.message_store.services import monitor
from messages_app.message_store.services.monitor import fill_queue, note_scan, take_back_dead
from messages_app.message_store.services.worker_loop import is_anything_left
from tests.support.stores import execute, history_of, make_held_longer, row_of, set_process, status_of, store

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
PAST, LATER = datetime(2026, 5, 1, tzinfo=UTC), datetime(2099, 1, 1, tzinfo=UTC)

# Status, due time, whether it is muted, and whether it is queued.
MESSAGES = {
    "new": (0, None, False, True),
    "new without a status": (None, None, False, True),
    "new with a time": (0, LATER, False, True),
    "new and muted": (0, None, True, False),
    "due": (2, PAST, False, True),
    "due and muted": (2, PAST, True, False),
    "due since no time": (2, None, False, True),
    "due since no time and muted": (2, None, True, False),
    "due later": (2, LATER, False, False),
    "in work": (1, PAST, False, False),
    "stopped": (4, PAST, False, False),
    "processed": (10, PAST, False, False),
    "failed": (26, PAST, False, False),
    "failed without a time": (26, None, False, False),
}


def change_line(identifier: str, **columns: object) -> None:
    MessageLine.objects.filter(message_identifier=identifier).update(**columns)


@pytest.fixture
def messages() -> dict[str, str]:
    """Give the identifiers of MESSAGES by name."""
    identifiers = {name: store() for name in MESSAGES}
    for name, (status, due, is_muted, _) in MESSAGES.items():
        set_process(identifiers[name], status=status, next_attempt_timestamp=due)
        change_line(identifiers[name], muted_at=PAST if is_muted else None)
    return identifiers


class TestFillQueue:
    def test_queues_what_waits_and_is_due(self, messages):
        queued = {name for name, (*_, is_queued) in MESSAGES.items() if is_queued}
        assert fill_queue() == len(queued)
        assert {name for name, one in messages.items() if status_of(one) == 3} == queued
        assert all(
            status_of(one) == MESSAGES[name][0] for name, one in messages.items() if name not in queued
        )
        assert fill_queue() == 0

    def test_queues_a_message_without_a_process_row(self):
        identifier = store()
        execute("DELETE FROM message_process")
        assert fill_queue() == 1
        assert status_of(identifier) == 3

    @pytest.mark.parametrize(
        ("of_line", "of_process", "due"),
        [(0, 10, None), (0, 1, None), (0, 2, LATER), (2, 26, PAST), (2, 2, LATER)],
        ids=str,
    )
    def test_leaves_a_message_whose_row_says_that_it_does_not_wait(self, of_line, of_process, due):
        identifier = store()
        set_process(identifier, status=of_process, next_attempt_timestamp=due)
        change_line(identifier, status=of_line, next_attempt_timestamp=PAST)
        assert fill_queue() == 0
        assert status_of(identifier) == of_process

    def test_gives_no_place_to_messages_that_do_not_wait(self, messages, settings):
        settings.MESSAGE_STORE_QUEUE = 1
        for number, (name, (*_, is_queued)) in enumerate(MESSAGES.items()):
            age = (100 - number if not is_queued else 1) * DAY
            MessageStore.objects.filter(pk=messages[name]).update(message_timestamp=timezone.now() - age)
        assert fill_queue() == 1

    def test_queues_the_oldest_and_of_the_same_age_by_identifier(self, settings):
        settings.MESSAGE_STORE_QUEUE = 3
        first, second, third, fourth = sorted(store() for _ in range(4))
        for identifier, time in ((fourth, PAST), (first, PAST + DAY), (third, PAST + DAY), (second, LATER)):
            MessageStore.objects.filter(pk=identifier).update(message_timestamp=time)
        assert fill_queue() == 3
        assert [status_of(one) for one in (first, second, third, fourth)] == [3, 0, 3, 3]

    def test_reads_the_longest_due_up_to_the_fence(self, monkeypatch):
        monkeypatch.setattr(monitor, "_FENCE", 1)
        identifiers = [store() for _ in range(3)]
        for number, identifier in enumerate(identifiers):
            set_process(identifier, status=2, next_attempt_timestamp=PAST - number * DAY)
        assert fill_queue() == 1
        assert [status_of(one) for one in identifiers] == [2, 2, 3]

    def test_counts_what_is_queued_and_not_what_is_in_work(self, settings):
        settings.MESSAGE_STORE_QUEUE = 3
        for status in (3, 3, 1, 1, 1, 10):
            set_process(store(), status=status)
        identifiers = [store() for _ in range(2)]
        assert fill_queue() == 1
        assert sorted(status_of(one) for one in identifiers) == [0, 3]
        assert fill_queue() == 0


class TestIsAnythingLeft:
    @pytest.mark.parametrize("name", MESSAGES)
    def test_says_whether_a_message_can_be_queued(self, messages, name):
        MessageStore.objects.exclude(pk=messages[name]).delete()
        MessageProcess.objects.exclude(pk=messages[name]).delete()
        # A time that is missing counts as due only when the queue is filled.
        expected = MESSAGES[name][3] and name != "due since no time"
        assert is_anything_left() == expected

    def test_says_whether_a_message_is_queued(self):
        identifier = store()
        set_process(identifier, status=3)
        assert is_anything_left()
        set_process(identifier, status=1)
        assert not is_anything_left()


class TestTakeBackDead:
    def test_takes_back_what_is_held_too_long_and_leaves_the_others(self, settings):
        settings.MESSAGE_STORE_PROCESS_TIMEOUT = 3_600.0
        ages = {"dead": (1, "61 minutes"), "stuck": (3, "62 minutes")}
        ages |= {"alive": (1, "59 minutes"), "next": (3, "58 minutes")}
        identifiers = {name: store() for name in ages}
        for name, (status, age) in ages.items():
            set_process(identifiers[name], status=status, processed_timestamp=PAST)
            make_held_longer(identifiers[name], age)
        stale = store()
        change_line(stale, status=1, claimed_at=PAST)
        set_process(stale, error_message="waits")
        change_line(stale, status=3, claimed_at=PAST)
        assert row_of(stale).status == 0

        assert take_back_dead() == 2

        assert {name: status_of(one) for name, one in identifiers.items()} == {
            "dead": 0,
            "stuck": 0,
            "alive": 1,
            "next": 3,
        }
        (dead,), (stuck,) = history_of(identifiers["dead"]), history_of(identifiers["stuck"])
        assert dead.log_text == "Abandoned: the attempt did not end within 3600 s."
        assert stuck.log_text == "Abandoned: queued for more than 3600 s, and no attempt began."
        assert history_of(stale) == []
        assert dict(StoreTimeout.objects.values_list("status", "fired")) == {1: 1, 3: 1}

    def test_takes_the_longest_held_first(self, monkeypatch):
        monkeypatch.setattr(monitor, "_BATCH", 2)
        identifiers = [store() for _ in range(3)]
        for number, identifier in enumerate(identifiers):
            set_process(identifier, status=1, processed_timestamp=PAST)
            make_held_longer(identifier, f"{number + 7} days")
        assert take_back_dead() == 2
        assert [status_of(one) for one in identifiers] == [1, 0, 0]
        assert take_back_dead() == 1
        assert dict(StoreTimeout.objects.values_list("status", "fired")) == {1: 3}


class TestMonitor:
    def test_counts_timeouts_of_a_week_by_where_the_message_was(self):
        now = timezone.now().replace(minute=0, second=0, microsecond=0)
        for hours, status, fired in (
            (1, 1, 1),
            (2, 1, 2),
            (3, 3, 4),
            (166, 3, 8),
            (169, 3, 16),
            (170, 1, 32),
        ):
            StoreTimeout.objects.create(hour=now - timedelta(hours=hours), status=status, fired=fired)
        found = selectors.monitor_state()
        assert (found.attempts_timed_out, found.places_timed_out) == (3, 12)
        assert found.last_timeout_hour == now - timedelta(hours=1)

    def test_reports_its_last_scan_and_settings(self, settings):
        settings.MESSAGE_STORE_QUEUE, settings.MESSAGE_STORE_THREADS = 31, 2
        settings.MESSAGE_STORE_PROCESS_TIMEOUT = 77.0
        before = selectors.monitor_state()
        assert (before.last_scan_at, before.interval, before.last_timeout_hour) == (None, None, None)
        assert (before.attempts_timed_out, before.places_timed_out) == (0, 0)
        assert (before.queue, before.threads, before.process_timeout) == (31, 2, 77)
        note_scan()
        first = StoreScan.objects.get().done_at
        note_scan()
        assert selectors.monitor_state().last_scan_at == StoreScan.objects.get().done_at > first
