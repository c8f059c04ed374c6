"""The end of an attempt: finished, abandoned or waiting for records."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from messages_app.message_store.errors import Overtaken
from messages_app.message_store.models import MessageHistory, MessageLine, MessageProcess, UnresolvedReference
from messages_app.message_store.services.begin import take_one
from messages_app.message_store.services.end import (
    Ended,
    Outcome,
    abandon_attempt,
    clean_text,
    finish_attempts,
    give_back,
    outcomes_of_waiting,
)
from messages_app.message_store.services.records import Key
from tests.support.stores import history_of, row_of, set_process, store

pytestmark = pytest.mark.django_db

BIT = timedelta(microseconds=1)
FAR = datetime(9999, 1, 1, tzinfo=UTC)
OLD, OLDER, OLDEST = (datetime(2026, 5, day, tzinfo=UTC) for day in (9, 8, 7))
LATER = datetime(2099, 1, 1, tzinfo=UTC)


def change_line(identifier: str, **columns: object) -> None:
    MessageLine.objects.filter(message_identifier=identifier).update(**columns)


def line_of(identifier: str) -> MessageLine:
    return MessageLine.objects.get(message_identifier=identifier)


def columns_of(identifier: str) -> tuple:
    row, line = row_of(identifier), line_of(identifier)
    return row.status, row.processed_timestamp, row.next_attempt_timestamp, row.error_message, line.abandoned


@pytest.fixture
def other() -> str:
    """Give a message in work, with everything that ends the attempts of another one."""
    identifier = store()
    set_process(
        identifier, status=1, processed_timestamp=OLD, next_attempt_timestamp=LATER, error_message="mine"
    )
    change_line(identifier, abandoned=1, claimed_at=LATER)
    MessageHistory.objects.create(message_identifier=identifier, processed_timestamp=LATER, status=10)
    return identifier


@pytest.mark.usefixtures("other")
class TestAbandon:
    @pytest.mark.parametrize(
        ("status", "started_at", "claimed_at", "history", "at"),
        [
            (1, OLD, OLDER, [], OLD),
            (1, OLDER, OLD, [], OLDER),
            (1, None, OLDER, [], OLDER),
            (1, FAR, OLDER, [], OLDER),
            (3, OLD, OLDER, [], OLDER),
            (3, OLDER, OLD, [OLDEST], OLD),
            (1, OLDEST, OLDER, [OLDER, OLD], OLD + BIT),
            (1, OLDER, None, [OLDEST, FAR], OLDER),
            (3, OLDER, OLDEST, [OLD, FAR], OLD + BIT),
        ],
    )
    def test_adds_its_history_after_every_other_attempt(self, status, started_at, claimed_at, history, at):
        identifier = store()
        for time in history:
            MessageHistory.objects.create(message_identifier=identifier, processed_timestamp=time, status=20)
        set_process(identifier, status=status, processed_timestamp=started_at, next_attempt_timestamp=LATER)
        change_line(identifier, claimed_at=claimed_at)
        assert abandon_attempt(identifier=identifier, status=status, started_at=started_at, why="It died.")
        (added,) = (row for row in history_of(identifier) if row.log_text)
        assert (added.processed_timestamp, added.status, added.error_message, added.log_text) == (
            at,
            20,
            "It died.",
            "It died.",
        )
        assert columns_of(identifier) == (0, started_at, None, "It died.", 1)

    @pytest.mark.parametrize(("status", "started_at"), [(1, None), (1, FAR), (3, OLD)])
    def test_adds_its_history_now_if_no_start_is_known(self, status, started_at):
        identifier = store()
        set_process(identifier, status=status, processed_timestamp=started_at)
        change_line(identifier, claimed_at=None)
        assert abandon_attempt(identifier=identifier, status=status, started_at=started_at, why="It died.")
        assert OLD < history_of(identifier)[0].processed_timestamp < LATER

    def test_changes_no_other_message(self, other):
        identifier, before = store(), columns_of(other)
        for _ in range(3):
            set_process(identifier, status=1, processed_timestamp=OLD)
            assert abandon_attempt(identifier=identifier, status=1, started_at=OLD, why="It died.")
        assert columns_of(other) == before
        assert len(history_of(other)) == 1
        assert row_of(identifier).status == 20

    @pytest.mark.parametrize(("abandoned", "status"), [(0, 0), (1, 0), (2, 20), (3, 20)])
    def test_sets_a_message_aside_at_the_third_death_in_a_row(self, abandoned, status):
        identifier = store()
        set_process(identifier, status=1, processed_timestamp=OLD)
        change_line(identifier, abandoned=abandoned)
        give_back(replace(take_again(identifier), started_at=OLD), "x" * 300 + "\0")
        assert columns_of(identifier) == (status, OLD, None, "x" * 255, abandoned + 1)
        (added,) = history_of(identifier)
        aside = "\nSet aside: its attempts died too often in a row." if status else ""
        assert (added.error_message, added.log_text) == ("x" * 255, "x" * 300 + "�" + aside)

    @pytest.mark.parametrize(("status", "started_at"), [(1, OLDER), (1, None), (3, OLD), (0, OLD)], ids=str)
    def test_leaves_a_row_that_is_not_as_given(self, status, started_at):
        identifier = store()
        set_process(identifier, status=1, processed_timestamp=OLD)
        assert not abandon_attempt(
            identifier=identifier, status=status, started_at=started_at, why="It died."
        )
        assert (row_of(identifier).status, history_of(identifier)) == (1, [])


def take_again(identifier: str):
    """Take a message and let its row say that it began long ago."""
    set_process(identifier, status=0)
    taken = take_one(identifier)
    set_process(identifier, processed_timestamp=OLD)
    return taken


class TestFinish:
    def test_ends_only_the_attempts_that_are_given(self, other):
        first, second = store(), store()
        taken = [replace(take_again(identifier), started_at=OLD) for identifier in (first, second)]
        for identifier in (first, second):
            change_line(identifier, abandoned=2)
        before = columns_of(other)
        finish_attempts(
            [
                Ended(taken[1], Outcome(status=2, errors=["one", "two"], next_attempt=LATER), ["read"]),
                Ended(taken[0], Outcome(status=10), ["all", "done"]),
            ]
        )
        assert columns_of(first) == (10, OLD, None, None, 0)
        assert columns_of(second) == (2, OLD, LATER, "one", 0)
        histories = [history_of(identifier)[0] for identifier in (first, second)]
        assert [(row.processed_timestamp, row.status, row.error_message) for row in histories] == [
            (OLD, 10, None),
            (OLD, 2, "one"),
        ]
        assert [row.log_text for row in histories] == ["all\ndone", "read\none\ntwo"]
        assert columns_of(other) == before
        assert len(history_of(other)) == 1

    @pytest.mark.parametrize("change", [{"status": 0}, {"processed_timestamp": OLDER}], ids=str)
    def test_raises_an_error_for_an_attempt_that_was_overtaken(self, change):
        identifier = store()
        taken = replace(take_again(identifier), started_at=OLD)
        set_process(identifier, **change)
        with pytest.raises(Overtaken, match=identifier):
            finish_attempts([Ended(taken, Outcome(status=10), [])])
        assert row_of(identifier).status == change.get("status", 1)
        assert history_of(identifier) == []

    def test_notes_what_each_message_lacks_and_forgets_what_it_lacked(self):
        mine, other, third = store(), store(), store()
        for identifier, entity, key in (
            (mine, "customer", "[1]"),
            (mine, "order", "[1]"),
            (mine, "order", "[2]"),
            (other, "customer", "[1]"),
            (third, "order", "[1]"),
        ):
            UnresolvedReference.objects.create(message_identifier=identifier, entity=entity, record_key=key)
        taken = [replace(take_again(one), started_at=OLD, attempts=1) for one in (mine, other)]
        missing = [Key("customer", "[1]"), Key("customer", "[2]")]
        finish_attempts(
            [
                Ended(taken[0], Outcome(status=2, errors=["x"], missing=missing), []),
                Ended(taken[1], Outcome(status=10), []),
            ]
        )
        rows = UnresolvedReference.objects.values_list("message_identifier", "entity", "record_key")
        assert set(rows) == {
            (mine, "customer", "[1]"),
            (mine, "customer", "[2]"),
            (third, "order", "[1]"),
        }


class TestWaiting:
    def test_waits_or_gives_up_by_the_age_of_each_message(self):
        young, old = (take_one(store()) for _ in range(2))
        now = MessageProcess.objects.get(pk=young.identifier).processed_timestamp
        old = replace(old, message_timestamp=now - timedelta(days=41))
        keys = [Key("customer", "[1]"), Key("order", "[2]")]
        assert outcomes_of_waiting([]) == []
        waits, gives_up = outcomes_of_waiting([(young, keys), (old, keys[1:])])
        assert (waits.status, list(waits.missing)) == (2, keys)
        assert waits.errors == ["There is no customer [1] yet.", "There is no order [2] yet."]
        assert waits.next_attempt > now
        assert (gives_up.status, gives_up.next_attempt, list(gives_up.missing)) == (26, None, keys[1:])
        assert gives_up.errors == [
            "Too old to retry: There is no order [2] yet.",
            "There is no order [2] yet.",
        ]


class TestClean:
    def test_replaces_what_the_database_cannot_store(self):
        assert clean_text("a\0b\ud800c") == "a�b?c"
