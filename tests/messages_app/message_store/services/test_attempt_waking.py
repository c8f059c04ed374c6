"""Messages are woken that lacked only what has come; every other keeps its time."""

from datetime import UTC, datetime

import pytest

from messages_app.message_store.models import MessageProcess, TargetRecord, UnresolvedReference
from messages_app.message_store.services import attempt
from messages_app.message_store.services.records import Key
from tests.support.stores import set_process, store

pytestmark = pytest.mark.django_db

PAST, LATER = datetime(2026, 5, 1, tzinfo=UTC), datetime(2099, 1, 1, tzinfo=UTC)

# By name: the missing records, the status, the due time, and whether customer 1 and order 2 wake the message.
MESSAGES = {
    "its only record": (["customer 1"], 2, LATER, True),
    "both records": (["customer 1", "order 2"], 2, LATER, True),
    "another record too": (["customer 1", "order 9"], 2, LATER, False),
    "the key of another entity": (["order 1"], 2, LATER, False),
    "another key": (["customer 2"], 2, LATER, False),
    "not waiting": (["customer 1"], 26, LATER, False),
    "already due": (["customer 1"], 2, PAST, False),
    "no time": (["customer 1"], 2, None, False),
}


@pytest.fixture
def messages() -> dict[str, str]:
    """Give the identifiers of MESSAGES by name."""
    identifiers = {}
    for name, (missing, status, due, _) in MESSAGES.items():
        identifiers[name] = store()
        set_process(identifiers[name], status=status, next_attempt_timestamp=due)
        for reference in missing:
            entity, number = reference.split()
            UnresolvedReference.objects.create(
                message_identifier=identifiers[name], entity=entity, record_key=f"[{number}]"
            )
    for entity, number in (("customer", 1), ("order", 2), ("line", 9)):
        TargetRecord.objects.create(
            entity=entity,
            record_key=f"[{number}]",
            valid_from=PAST,
            data={},
            source_message=identifiers["its only record"],
            message_timestamp=PAST,
        )
    return identifiers


def woken(identifiers: dict[str, str]) -> set[str]:
    """Return the names of the messages whose time has changed to now."""
    due = dict(MessageProcess.objects.values_list("pk", "next_attempt_timestamp"))
    changed = {name for name, one in identifiers.items() if due[one] != MESSAGES[name][2]}
    assert all(PAST < due[identifiers[name]] < LATER for name in changed)
    statuses = dict(MessageProcess.objects.values_list("pk", "status"))
    assert all(statuses[one] == MESSAGES[name][1] for name, one in identifiers.items())
    return changed


EXPECTED = {name for name, (*_, is_woken) in MESSAGES.items() if is_woken}
COME = [Key("customer", "[1]"), Key("order", "[2]"), Key("line", "[9]")]


class TestWakeWaiting:
    def test_wakes_each_once(self, messages):
        assert attempt.wake_waiting(COME) == 2
        assert woken(messages) == EXPECTED
        assert attempt.wake_waiting(COME) == 0

    def test_wakes_all_in_batches_of_any_size(self, messages, monkeypatch):
        monkeypatch.setattr(attempt, "_BATCH", 1)
        # Identifiers are random: whichever is first, none that is not woken may end the batches.
        assert attempt.wake_waiting(COME) == 2
        assert woken(messages) == EXPECTED

    def test_wakes_no_message_that_lacked_another_record(self, messages):
        assert attempt.wake_waiting([Key("order", "[2]")]) == 1
        assert woken(messages) == {"both records"}


class TestWakeResolved:
    def test_wakes_the_given_ones(self, messages):
        attempt.wake_resolved(list(messages.values()))
        assert woken(messages) == EXPECTED

    def test_leaves_the_others(self, messages):
        attempt.wake_resolved([messages["both records"], messages["another record too"]])
        assert woken(messages) == {"both records"}
