"""An action on one message applies in the statuses that are written out here, and leaves all others."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from messages_app.message_store.errors import StatusConflict
from messages_app.message_store.models import MessageLine, MessageProcess
from messages_app.message_store.services.messages import (
    mute_message,
    release_message,
    reprocess_message,
    retry_now,
    unmute_message,
)
from tests.support.stores import ADA, make_held_longer, set_process, store

pytestmark = pytest.mark.django_db

LATER = datetime(2099, 1, 1, tzinfo=UTC)
STATUSES = (0, 1, 2, 3, 4, 9, 10, 11, 19, 20, 26, 99)
ACTIONS: dict[str, tuple[Callable[..., object], set[int]]] = {
    "reprocess": (reprocess_message, {2, 10, 20, 26, 99}),
    "retry_now": (retry_now, {2}),
    "mute": (mute_message, {0, 2, 4, 9, 11, 19, 20, 26, 99}),
    "unmute": (unmute_message, set(STATUSES)),
}


@pytest.fixture
def keys() -> list[str]:
    return [store([{"id": number}]) for number in range(3)]


def set_all(keys: list[str], *, status: int, is_muted: bool) -> None:
    for key in keys:
        set_process(key, status=status, next_attempt_timestamp=LATER, error_message="why")
    MessageLine.objects.update(abandoned=2, muted_at=LATER if is_muted else None)


def rows() -> dict[str, tuple]:
    processes = MessageProcess.objects.values_list("pk", "status", "next_attempt_timestamp", "error_message")
    lines = {line.message_identifier: (line.abandoned, line.muted_at) for line in MessageLine.objects.all()}
    return {key: (*row, *lines[key]) for key, *row in processes}


@pytest.mark.parametrize("name", ACTIONS)
class TestAction:
    def test_changes_one_message_in_its_statuses(self, name, keys):
        act, statuses = ACTIONS[name]
        for status in STATUSES:
            set_all(keys, status=status, is_muted=name == "unmute")
            before = rows()
            if status in statuses:
                act(identifier=keys[1], actor=ADA, reason="why")
            else:
                with pytest.raises(StatusConflict):
                    act(identifier=keys[1], actor=ADA, reason="why")
            changed = {key for key, row in rows().items() if row != before[key]}
            assert changed == ({keys[1]} if status in statuses else set()), status

    def test_changes_nothing_if_the_status_is_not_the_expected_one(self, name, keys):
        act, _ = ACTIONS[name]
        set_all(keys, status=2, is_muted=name == "unmute")
        before = rows()
        with pytest.raises(StatusConflict):
            act(identifier=keys[1], actor=ADA, reason="why", expected=20)
        assert rows() == before
        act(identifier=keys[1], actor=ADA, reason="why", expected=2)
        assert rows() != before


class TestReprocess:
    def test_begins_a_message_afresh(self, keys):
        set_all(keys, status=26, is_muted=False)
        reprocess_message(identifier=keys[1], actor=ADA, reason="why")
        assert rows()[keys[1]] == (0, None, None, 0, None)
        assert rows()[keys[0]] == (26, LATER, "why", 2, None)


class TestRetryNow:
    def test_unmutes_one_message_and_makes_it_due_now(self, keys):
        set_all(keys, status=2, is_muted=True)
        retry_now(identifier=keys[1], actor=ADA, reason="why")
        status, due, error, abandoned, muted_at = rows()[keys[1]]
        assert (status, error, abandoned, muted_at) == (2, "why", 2, None)
        assert due < LATER
        for key in (keys[0], keys[2]):
            assert rows()[key] == (2, LATER, "why", 2, LATER)


class TestRelease:
    def test_uses_the_time_of_its_own_message(self, keys):
        for key in keys:
            set_process(key, status=1)
        make_held_longer(keys[0], "7 days")
        with pytest.raises(StatusConflict, match="Confirm that its worker is dead"):
            release_message(identifier=keys[1], actor=ADA, reason="why")
        release_message(identifier=keys[0], actor=ADA, reason="why")
        assert [rows()[key][0] for key in keys] == [0, 1, 1]
