from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from messages_app.jobs.connections import database_dsn
from messages_app.message_store.models import (
    ArchivedHistory,
    MessageHistory,
    MessageLine,
    MessageProcess,
)
from messages_app.shared.store_states import Status
from spark_tasks.actions.reprocess import ArchiveHistory, Reprocess, reason_of
from spark_tasks.contract import Action, Decided, Item, JobKey
from tests.spark_tasks.moves.scenes import executor, hub
from tests.support import stores

CUTOFF = datetime(2026, 6, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def _of(status: Status) -> str:
    return str(int(status))


class TestReasonOf:
    @pytest.mark.parametrize(
        "state", ["", _of(Status.NOT_PROCESSED), _of(Status.QUEUED), _of(Status.PROCESSING)]
    )
    def test_is_the_state_of_messages_that_may_not_be_processed_again(self, state):
        assert reason_of(state, None, named=()) == "state_conflict"

    @pytest.mark.parametrize("status", [Status.PROCESSED, Status.GENERAL_ERROR, Status.REPROCESS_TIMEOUT])
    def test_is_empty_for_ended_messages(self, status):
        assert reason_of(_of(status), None, named=()) is None

    def test_is_the_refresh_of_an_entity_that_is_not_named(self):
        assert reason_of(_of(Status.GENERAL_ERROR), "invoice", named={"order"}) == "refresh"
        assert reason_of(_of(Status.GENERAL_ERROR), "order", named={"order"}) is None

    def test_is_the_state_before_the_refresh(self):
        assert reason_of(_of(Status.QUEUED), "invoice", named={"order"}) == "state_conflict"


@pytest.fixture
def session() -> Iterator[psycopg.Connection]:
    with executor() as found:
        yield found


def act(session: psycopg.Connection, action: Action, asked: dict[int, str]) -> Decided:
    """Let an action process messages, each with its status when the set was frozen."""
    key = JobKey(dsn=database_dsn(), job_id=1, attempt=1, rivals=())
    with session.transaction():
        return action.process_items(
            session, key, [Item(number, number, state) for number, state in asked.items()]
        )


def stored(count: int, status: int = 25) -> list[tuple[int, str]]:
    """Store messages of this status, and return their numbers and identifiers."""
    identifiers = [stores.store([{"id": 1}]) for _ in range(count)]
    for identifier in identifiers:
        stores.set_process(
            identifier, status=status, error_message="no customer", next_attempt_timestamp=CUTOFF
        )
    numbers = dict(MessageLine.objects.values_list("message_identifier", "number"))
    return [(numbers[identifier], identifier) for identifier in identifiers]


@pytest.mark.django_db(transaction=True)
class TestReprocess:
    def test_resets_messages_as_they_were_frozen_and_says_why_not_the_others(self, session):
        done, moved, locked, gone, both, other = messages = stored(6)
        MessageLine.objects.update(abandoned=2)
        stores.set_process(moved[1], status=26), stores.set_process(both[1], status=10)
        MessageProcess.objects.filter(pk=gone[1]).delete()
        asked = {number: "25" for number, _ in (done, moved, locked, gone, both)} | {10**9: "25"}
        with hub() as worker, worker.transaction():
            for _, identifier in (locked, both):
                worker.execute(
                    "SELECT FROM message_process WHERE message_identifier = %s FOR UPDATE", [identifier]
                )
            found = act(session, Reprocess(), asked)
        assert found == Decided(
            refusals={
                moved[0]: "skipped:moved_on",
                locked[0]: "skipped:locked",
                gone[0]: "skipped:vanished",
                both[0]: "skipped:moved_on",
                10**9: "skipped:vanished",
            }
        )
        columns = ("status", "error_message", "next_attempt_timestamp")
        rows = {row[0]: row[1:] for row in MessageProcess.objects.values_list("pk", *columns)}
        assert rows == {
            done[1]: (0, None, None),
            moved[1]: (26, "no customer", CUTOFF),
            locked[1]: (25, "no customer", CUTOFF),
            both[1]: (10, "no customer", CUTOFF),
            other[1]: (25, "no customer", CUTOFF),
        }
        abandoned = dict(MessageLine.objects.values_list("number", "abandoned"))
        assert abandoned == {number: 0 if number == done[0] else 2 for number, _ in messages}

    def test_has_a_new_status_and_may_not_be_repeated(self):
        assert (Reprocess().new_state, Reprocess().may_be_repeated) == ("0", False)


@pytest.mark.django_db(transaction=True)
class TestArchiveHistory:
    def test_moves_old_attempts_except_the_newest_of_each_message(self, session):
        many, newest, young, other = stored(4)
        attempts = {
            many[1]: (CUTOFF - 3 * DAY, CUTOFF - timedelta(microseconds=1), CUTOFF, CUTOFF + DAY),
            newest[1]: (CUTOFF - 3 * DAY, CUTOFF - 2 * DAY),
            young[1]: (CUTOFF, CUTOFF + DAY),
            other[1]: (CUTOFF - 3 * DAY, CUTOFF - 2 * DAY),
        }
        for identifier, times in attempts.items():
            for number, at in enumerate(times):
                MessageHistory.objects.create(
                    message_identifier=identifier,
                    processed_timestamp=at,
                    status=20 + number,
                    error_message=f"error {number}",
                    log_text=f"log {number}",
                )
        action = ArchiveHistory(cutoff=CUTOFF.isoformat())
        found = act(session, action, dict.fromkeys((many[0], newest[0], young[0], 10**9), "10"))
        assert found == Decided(
            refusals={young[0]: "skipped:moved_on", 10**9: "skipped:moved_on"},
            moved=Counter(message_history=3),
        )
        columns = ("message_identifier", "processed_timestamp", "status", "error_message", "log_text")
        assert set(ArchivedHistory.objects.values_list(*columns)) == {
            (many[1], CUTOFF - 3 * DAY, 20, "error 0", "log 0"),
            (many[1], CUTOFF - timedelta(microseconds=1), 21, "error 1", "log 1"),
            (newest[1], CUTOFF - 3 * DAY, 20, "error 0", "log 0"),
        }
        left = MessageHistory.objects.values_list("message_identifier", "processed_timestamp")
        assert set(left) == {
            *((many[1], at) for at in attempts[many[1]][2:]),
            (newest[1], CUTOFF - 2 * DAY),
            *((young[1], at) for at in attempts[young[1]]),
            *((other[1], at) for at in attempts[other[1]]),
        }
        again = act(session, action, {many[0]: "10"})
        assert again == Decided(refusals={many[0]: "skipped:moved_on"}, moved=Counter(message_history=0))
        assert (action.new_state, action.may_be_repeated) == (None, True)
