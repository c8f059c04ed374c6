"""The messages that an attempt takes, its start, and the columns that its taker reads."""

from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import pytest

from messages_app.message_store.models import MessageHistory, MessageLine, MessageProcess, MessageStore
from messages_app.message_store.services.begin import look_at, take_one, take_queued
from tests.support.distinct_rows import distinct_columns
from tests.support.stores import execute, row_of, set_process, store

pytestmark = pytest.mark.django_db

BIT = timedelta(microseconds=1)
FAR = datetime(9999, 1, 1, tzinfo=UTC)
EARLY, LATE, LATER = (datetime(year, 1, 1, tzinfo=UTC) for year in (2096, 2097, 2098))
STATUSES = (0, 1, 2, 3, 4, 9, 10, 15, 20, 26, 99)
IDENTIFIER = "123e4567-e89b-12d3-a456-426614174000"


def take_by_identifier(identifier: str):
    return take_one(identifier)


def take_from_queue(identifier: str):
    set_process(identifier, status=3)
    (taken,) = take_queued(most=5)
    assert taken.identifier == identifier
    return taken


def add_history(identifier: str, *times: datetime) -> None:
    for time in times:
        MessageHistory.objects.create(message_identifier=identifier, processed_timestamp=time, status=20)


def change_line(identifier: str, **columns: object) -> None:
    """Write what the console keeps of a message, as after a gap of its triggers."""
    MessageLine.objects.filter(message_identifier=identifier).update(**columns)


@pytest.mark.parametrize("take", [take_by_identifier, take_from_queue])
class TestStart:
    @pytest.mark.parametrize(
        ("own", "history", "start"),
        [
            (EARLY, [], EARLY + BIT),
            (None, [LATE, EARLY], LATE + BIT),
            (LATER, [EARLY, LATE], LATER + BIT),
            (LATE, [EARLY, LATER], LATER + BIT),
            (FAR, [FAR, EARLY], EARLY + BIT),
        ],
    )
    def test_is_later_than_every_attempt_at_the_message(self, take, own, history, start):
        identifier, other = store(), store()
        add_history(identifier, *history)
        add_history(other, datetime(2099, 1, 1, tzinfo=UTC))
        set_process(identifier, processed_timestamp=own)
        taken = take(identifier)
        assert taken.started_at == row_of(identifier).processed_timestamp == start
        assert row_of(other).processed_timestamp is None

    def test_is_now_after_attempts_of_the_year_9999(self, take):
        identifier = store()
        add_history(identifier, FAR)
        set_process(identifier, processed_timestamp=FAR)
        assert take(identifier).started_at < EARLY


@pytest.mark.parametrize("take", [take_by_identifier, take_from_queue])
class TestTaken:
    def test_has_each_column_of_the_message(self, take):
        columns = distinct_columns(MessageStore, message_identifier=IDENTIFIER, refresh=True)
        MessageStore.objects.create(**columns)
        MessageProcess.objects.update_or_create(
            message_identifier=IDENTIFIER, defaults={"status": 0, "error_message": "why"}
        )
        change_line(IDENTIFIER, attempts=4, abandoned=7)
        taken = take(IDENTIFIER)
        row = row_of(IDENTIFIER)
        assert row.status == 1
        assert asdict(taken) == {
            "identifier": IDENTIFIER,
            "started_at": row.processed_timestamp,
            "attempts": 4,
            "is_stored": True,
            "system": columns["source_system"],
            "entity": columns["source_entity"],
            "message_timestamp": columns["message_timestamp"],
            "effective_timestamp": columns["effective_timestamp"],
            "refresh": True,
            "options": columns["options"],
            "data": columns["data"],
            "file_path": columns["file_path"],
        }

    def test_may_be_missing_in_the_store(self, take):
        store()
        MessageProcess.objects.create(message_identifier=IDENTIFIER, status=0)
        taken = take(IDENTIFIER)
        assert (taken.is_stored, taken.entity, taken.attempts) == (False, None, 0)
        assert row_of(IDENTIFIER).status == 1


class TestTakeOne:
    def test_takes_one_that_waits_and_leaves_every_other(self):
        other = store()
        for status in (*STATUSES, None):
            identifier = store()
            set_process(identifier, status=status)
            assert (take_one(identifier) is not None) == (status in {None, 0, 2, 3}), status
            assert row_of(identifier).status == (1 if status in {None, 0, 2, 3} else status)
            assert row_of(other).status == 0

    def test_takes_a_message_without_a_process_row(self):
        identifier = store()
        execute("DELETE FROM message_process")
        assert take_one(identifier).is_stored
        assert row_of(identifier).status == 1

    def test_does_not_take_a_message_that_has_only_history(self):
        add_history(IDENTIFIER, EARLY)
        assert take_one(IDENTIFIER) is None
        assert not MessageProcess.objects.exists()

    @pytest.mark.parametrize(("of_line", "of_process"), [(0, 10), (3, 1), (10, 0)])
    def test_takes_nothing_if_line_or_row_says_that_it_does_not_wait(self, of_line, of_process):
        identifier = store()
        set_process(identifier, status=of_process)
        change_line(identifier, status=of_line)
        assert take_one(identifier) is None
        assert row_of(identifier).status == of_process


class TestTakeQueued:
    def test_takes_only_what_is_queued(self):
        for status in STATUSES:
            set_process(store(), status=status)
        stale = store()
        set_process(stale, status=10)
        change_line(stale, status=3, claimed_at=EARLY)
        (taken,) = take_queued(most=50)
        assert taken.identifier in MessageProcess.objects.filter(status=1).values_list("pk", flat=True)
        assert MessageProcess.objects.filter(status=3).count() == 0
        assert row_of(stale).status == 10

    def test_takes_the_oldest_first_and_of_the_same_age_by_identifier(self):
        first, second, third, fourth = sorted(store() for _ in range(4))
        for identifier, time in ((fourth, EARLY), (first, LATE), (third, LATE), (second, LATER)):
            set_process(identifier, status=3)
            MessageStore.objects.filter(pk=identifier).update(message_timestamp=time)
        taken = [one.identifier for one in take_queued(most=3)]
        assert taken == [fourth, first, third]
        assert [one.identifier for one in take_queued(most=3)] == [second]

    @pytest.mark.parametrize(("size", "batches"), [(16_384, [3]), (16_385, [1, 1, 1])])
    def test_takes_data_of_sixteen_kibibytes_with_others(self, size, batches):
        for number, data in enumerate(("[]", "é" * (size // 2) + "x" * (size % 2), "[]")):
            identifier = store(data)
            set_process(identifier, status=3)
            MessageStore.objects.filter(pk=identifier).update(message_timestamp=EARLY + number * BIT)
        assert [len(take_queued(most=9)) for _ in batches] == batches

    def test_takes_at_most_fifty(self):
        for _ in range(51):
            set_process(store(), status=3)
        assert (len(take_queued(most=99)), len(take_queued(most=99))) == (50, 1)


class TestLookAt:
    def test_reads_a_message_and_takes_nothing(self):
        columns = distinct_columns(MessageStore, message_identifier=IDENTIFIER, refresh=False)
        store()
        MessageStore.objects.create(**columns)
        MessageProcess.objects.update_or_create(message_identifier=IDENTIFIER, defaults={"status": 20})
        change_line(IDENTIFIER, attempts=4, abandoned=7)
        seen = asdict(look_at(IDENTIFIER))
        assert seen.pop("started_at") < EARLY
        assert seen == {
            "identifier": IDENTIFIER,
            "attempts": 4,
            "is_stored": True,
            "system": columns["source_system"],
            "entity": columns["source_entity"],
            "message_timestamp": columns["message_timestamp"],
            "effective_timestamp": columns["effective_timestamp"],
            "refresh": False,
            "options": columns["options"],
            "data": columns["data"],
            "file_path": columns["file_path"],
        }
        assert row_of(IDENTIFIER).status == 20

    def test_reads_a_row_without_a_message(self):
        MessageProcess.objects.create(message_identifier=IDENTIFIER, status=0)
        assert not look_at(IDENTIFIER).is_stored
        assert look_at("123e4567-e89b-12d3-a456-426614174001") is None


class TestClaimedMessage:
    @pytest.mark.parametrize(
        ("made", "effective", "created_at", "effective_at"),
        [(EARLY, LATE, EARLY, LATE), (None, LATE, LATE, LATE), (EARLY, None, EARLY, EARLY)],
    )
    def test_was_made_at_the_first_time_that_is_known(self, made, effective, created_at, effective_at):
        identifier = store()
        MessageStore.objects.filter(pk=identifier).update(
            message_timestamp=made, effective_timestamp=effective
        )
        taken = take_one(identifier)
        assert (taken.created_at, taken.effective_at) == (created_at, effective_at)

    def test_was_made_when_its_attempt_began_if_no_time_is_known(self):
        identifier = store()
        MessageStore.objects.filter(pk=identifier).update(message_timestamp=None, effective_timestamp=None)
        taken = take_one(identifier)
        assert taken.created_at == taken.effective_at == taken.started_at
