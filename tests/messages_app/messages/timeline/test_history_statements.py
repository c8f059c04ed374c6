"""Each condition of the statements that mend the history has a row that only it leaves out."""

from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from messages_app.core.clock import database_clock
from messages_app.messages.models import Message, MessageEvent
from messages_app.messages.timeline.history_gaps import statements
from tests.messages_app.messages.detail.rows import make_event
from tests.support.factories import NOON, make_message

pytestmark = pytest.mark.django_db


def message_with_history(*states: str, state: str, processed: datetime | None = None) -> Message:
    """Store a message with entries that lead through states, a minute apart; its own state may differ."""
    message = make_message(state=state, last_process_timestamp=processed)
    MessageEvent.objects.filter(msg_id=message.pk).delete()
    for place, (old, new) in enumerate(pairwise(states)):
        make_event(message, old, new, at=NOON + timedelta(minutes=place))
    return message


class TestFindStale:
    def rows(self, first: int, most: int = 9) -> tuple[int | None, list[int] | None]:
        return statements.only_row("find_stale", {"first": first, "most": most})

    def test_finds_messages_whose_newest_entry_has_another_state(self):
        message_with_history("NEW", "PROCESSING", "OK", state="OK")
        without = message_with_history(state="OK")
        stale = message_with_history("NEW", "OK", "PROCESSING", state="OK")
        next_stale = message_with_history("NEW", "PROCESSING", state="FAILED")
        assert self.rows(0) == (next_stale.pk, [stale.pk, next_stale.pk])
        assert self.rows(stale.pk) == (next_stale.pk, [stale.pk, next_stale.pk])
        assert self.rows(stale.pk + 1) == (next_stale.pk, [next_stale.pk])
        assert self.rows(0, most=2) == (without.pk, None)
        assert self.rows(0, most=3) == (stale.pk, [stale.pk])
        assert self.rows(next_stale.pk + 1) == (None, None)


class TestAddUnknown:
    def add(self, *messages: Message) -> int:
        return statements.count("add_unknown", {"msg_ids": [each.pk for each in messages], "actor": "?"})

    def newest(self, message: Message) -> tuple[object, ...]:
        event = MessageEvent.objects.filter(msg_id=message.pk).order_by("-event_id").first()
        return event.from_state, event.to_state, event.actor

    def test_adds_an_entry_from_the_last_known_state(self):
        message = message_with_history("NEW", "PROCESSING", "WAITING", state="FAILED")
        other = message_with_history("NEW", "PROCESSING", state="FAILED")
        right = message_with_history("NEW", "FAILED", state="FAILED")
        assert self.add(message, right) == 1
        assert self.newest(message) == ("WAITING", "FAILED", "?")
        assert self.newest(other) == ("NEW", "PROCESSING", None)
        assert self.newest(right) == ("NEW", "FAILED", None)
        assert self.add(message) == 0

    @pytest.mark.parametrize(
        ("seconds", "is_kept"), [(-1, False), (0, True), (1, True), (10**10, False), (None, False)]
    )
    def test_has_the_time_of_the_last_change_if_it_is_between_the_last_entry_and_now(self, seconds, is_kept):
        # 10 ** 10 seconds are more than 300 years.
        processed = None if seconds is None else NOON + timedelta(seconds=seconds)
        message = message_with_history("NEW", "PROCESSING", state="FAILED", processed=processed)
        before = database_clock()
        self.add(message)
        at = MessageEvent.objects.filter(msg_id=message.pk).order_by("-event_id").first().at
        assert at == processed if is_kept else before <= at <= database_clock()
