"""The steps since an action, and the request that led to a change."""

from datetime import datetime, timedelta

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.messages.actions.causes import Cause, cause_of, causes_of
from messages_app.messages.actions.outcome import MAX_STEPS, REFRESHED_FOR, Step, follow_last_action
from messages_app.messages.models import Message, MessageEvent
from tests.support.factories import NOON, make_message

MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


def restart_at_noon(message: Message, **columns: object) -> AuditEntry:
    values = {
        "action": "restart",
        "outcome": "done",
        "actor": "ada",
        "at": NOON,
        "reason": "try",
        "before_state": "FAILED",
        "after_state": "PARTLY_FAILED",
        "details": {"total": True},
    }
    return AuditEntry(msg_id=message.pk, **values | columns)


def store_events(message: Message, *events: tuple[str, str | None, datetime]) -> None:
    for state, actor, at in events:
        MessageEvent.objects.create(msg_id=message.pk, from_state="NEW", to_state=state, actor=actor, at=at)


@pytest.fixture
def message() -> Message:
    made = make_message(state="FAILED")
    MessageEvent.objects.all().delete()
    return made


@pytest.mark.django_db
class TestSteps:
    def test_begin_with_the_change_of_the_action(self, message):
        store_events(
            message,
            ("FAILED", None, NOON),
            ("PARTLY_FAILED", "ada", NOON),
            ("PARTLY_FAILED", None, NOON),
            ("PROCESSING", "ada", NOON),
            ("PARTLY_FAILED", "ada", NOON + MINUTE),
            ("OK", None, NOON + 2 * MINUTE),
        )
        store_events(make_message(), ("CANCEL", "ada", NOON + 3 * MINUTE))
        followed = follow_last_action(message, at=NOON + 3 * MINUTE, entries=[restart_at_noon(message)])
        assert followed.steps == [
            Step(state="PARTLY_FAILED", at=NOON, actor="ada"),
            Step(state="PARTLY_FAILED", at=NOON, actor=None),
            Step(state="PROCESSING", at=NOON, actor="ada"),
            Step(state="PARTLY_FAILED", at=NOON + MINUTE, actor="ada"),
            Step(state="OK", at=NOON + 2 * MINUTE, actor=None),
        ]
        assert (followed.action, followed.total, followed.actor, followed.at) == (
            "restart",
            True,
            "ada",
            NOON,
        )
        assert (followed.reason, followed.state, followed.left_out) == ("try", "OK", False)
        assert (followed.verdict, followed.is_open) == ("It completed 2 min after the restart.", False)

    def test_leave_out_what_was_before(self, message):
        store_events(message, ("FAILED", None, NOON - SECOND), ("OK", "ben", NOON))
        followed = follow_last_action(message, at=NOON, entries=[restart_at_noon(message)])
        assert [step.state for step in followed.steps] == ["OK"]
        assert followed.verdict.startswith("It completed")

    def test_are_those_since_the_last_action_that_was_done(self, message):
        refused = restart_at_noon(message, outcome="refused", at=NOON + MINUTE, actor="ben")
        viewed = restart_at_noon(message, action="view_payload", at=NOON + MINUTE, actor="cleo")
        followed = follow_last_action(
            message, at=NOON + MINUTE, entries=[viewed, refused, restart_at_noon(message)]
        )
        assert (followed.actor, followed.at) == ("ada", NOON)

    def test_name_who_overrode_a_cancel(self, message):
        entry = restart_at_noon(message, action="cancel", before_state="PROCESSING", after_state="CANCEL")
        store_events(message, ("CANCEL", "ada", NOON), ("OK", "ben", NOON + MINUTE))
        followed = follow_last_action(message, at=NOON + MINUTE, entries=[entry])
        assert followed.verdict == "ben overrode the cancel: it is now OK."

    @pytest.mark.parametrize(("seconds", "is_late"), [(120, False), (121, True)])
    def test_are_expected_until_the_hub_picks_the_message_up(self, message, seconds, is_late):
        message.state = "PARTLY_FAILED"
        at = NOON + seconds * SECOND
        followed = follow_last_action(message, at=at, entries=[restart_at_noon(message)])
        assert ("should have picked it up" in followed.verdict) == is_late

    @pytest.mark.parametrize(("count", "is_cut"), [(MAX_STEPS, False), (MAX_STEPS + 1, True)])
    def test_are_the_newest(self, message, count, is_cut):
        times = [NOON + number * SECOND for number in range(1, count + 1)]
        store_events(message, *(("PROCESSING", None, at) for at in times))
        followed = follow_last_action(message, at=NOON, entries=[restart_at_noon(message)])
        assert [step.at for step in followed.steps] == times[-MAX_STEPS:]
        assert followed.left_out == is_cut

    @pytest.mark.parametrize(("state", "count"), [("PARTLY_FAILED", 1), ("POSTPONED", 2)])
    def test_are_the_states_of_the_message_without_a_history(self, message, state, count):
        message.state, message.last_process_timestamp = state, NOON + MINUTE
        followed = follow_last_action(message, at=NOON, entries=[restart_at_noon(message)])
        steps = [
            Step(state="PARTLY_FAILED", at=NOON, actor="ada"),
            Step(state="POSTPONED", at=NOON + MINUTE, actor=None),
        ]
        assert followed.steps == steps[:count]

    @pytest.mark.parametrize(("since", "is_open"), [(REFRESHED_FOR - SECOND, True), (REFRESHED_FOR, False)])
    def test_are_awaited_for_a_limited_time(self, message, since, is_open):
        message.state = "POSTPONED"
        followed = follow_last_action(message, at=NOON + since, entries=[restart_at_noon(message)])
        assert followed.is_open == is_open


def cause(number: int, **columns: object) -> Cause:
    values = {
        "action": "restart",
        "actor": "ada",
        "reason": f"reason {number}",
        "state": "PARTLY_FAILED",
        "job_id": None,
        "entry_id": number,
        "total": False,
        "since": NOON - MINUTE,
        "until": NOON + MINUTE,
    }
    return Cause(**values | columns)


class TestCauseOf:
    event = MessageEvent(msg_id=1, to_state="PARTLY_FAILED", actor="ada", at=NOON)

    @pytest.mark.parametrize(
        ("columns", "is_cause"),
        [
            ({}, True),
            ({"actor": "ben"}, False),
            ({"state": "CANCEL"}, False),
            ({"since": NOON}, True),
            ({"since": NOON + SECOND}, False),
            ({"until": NOON}, True),
            ({"until": NOON - SECOND}, False),
        ],
    )
    def test_is_by_the_same_user_to_the_same_state_at_that_time(self, columns, is_cause):
        request = cause(1, **columns)
        assert cause_of(self.event, [request]) == (request if is_cause else None)

    def test_is_the_one_that_ended_first(self):
        late, early = cause(1, until=NOON + 3 * MINUTE), cause(2, until=NOON + 2 * MINUTE)
        for causes in ([late, early], [early, late]):
            assert cause_of(self.event, causes) == early


@pytest.mark.django_db
def test_causes_have_all_their_values(message):
    restart_at_noon(make_message()).save()
    entry = restart_at_noon(message)
    entry.save()
    restart_at_noon(message, after_state="").save()
    entry.refresh_from_db()
    since = entry.at - MINUTE
    assert causes_of(message.pk) == [
        cause(entry.pk, reason="try", total=True, since=since, until=entry.at),
    ]
