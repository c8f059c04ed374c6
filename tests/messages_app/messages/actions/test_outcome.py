from datetime import datetime, timedelta

import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor, record_entry
from messages_app.core.clock import database_clock
from messages_app.messages import services
from messages_app.messages.actions.outcome import MAX_STEPS, SHOWN_FOR, Followed, follow_last_action
from messages_app.messages.models import Message, MessageEvent
from tests.support.factories import make_external_call, make_message

pytestmark = pytest.mark.django_db

ADA = Actor(username="ada")


def restart(message: Message, **options: object) -> datetime:
    services.restart_message(msg_id=message.pk, actor=ADA, reason="try", **options)
    return AuditEntry.objects.get(msg_id=message.pk, action="restart").at


def cancel(message: Message) -> None:
    services.cancel_message(msg_id=message.pk, actor=ADA, reason="sent twice")


def hub_sets(message: Message, *states: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('hubconsole.actor', '', true)")
    for state in states:
        Message.objects.filter(pk=message.pk).update(state=state)


def outcome_of(message: Message, *, at: datetime | None = None) -> Followed | None:
    return follow_last_action(Message.objects.get(pk=message.pk), at=at or database_clock())


class TestFollowed:
    def test_is_missing_without_an_action_and_a_day_after_it(self):
        message = make_message(state="FAILED")
        assert outcome_of(message) is None
        at = restart(message)
        assert outcome_of(message, at=at + SHOWN_FOR) is not None
        assert outcome_of(message, at=at + SHOWN_FOR + timedelta(seconds=1)) is None

    def test_reports_until_when_the_hub_picks_it_up(self):
        message = make_message(state="FAILED")
        make_external_call(message)
        at = restart(message, total=True)
        outcome = outcome_of(message, at=at + timedelta(seconds=14))
        assert (outcome.action, outcome.total, outcome.actor, outcome.reason) == (
            "restart",
            True,
            "ada",
            "try",
        )
        assert [step.state for step in outcome.steps] == ["PARTLY_FAILED"]
        assert "The hub picks it up between" in outcome.verdict
        assert outcome.is_open

    def test_says_when_the_hub_is_late(self):
        message = make_message(state="FAILED")
        at = restart(message)
        outcome = outcome_of(message, at=at + timedelta(seconds=121))
        assert "should have picked it up" in outcome.verdict
        assert outcome.is_open

    @pytest.mark.parametrize(
        ("states", "verdict", "is_open"),
        [
            (["PROCESSING"], "has picked it up: PROCESSING since", True),
            (["PROCESSING", "OK"], "It completed", False),
            (["PROCESSING", "FAILED"], "failed again permanently", False),
            (["PROCESSING", "PARTLY_FAILED"], "the hub will retry", True),
            (["PROCESSING", "POSTPONED"], "postponed it", True),
        ],
    )
    def test_follows_a_restart_to_its_end(self, states, verdict, is_open):
        message = make_message(state="FAILED")
        restart(message)
        hub_sets(message, *states)
        outcome = outcome_of(message)
        assert [step.state for step in outcome.steps] == ["PARTLY_FAILED", *states]
        assert [step.actor for step in outcome.steps] == ["ada"] + [None] * len(states)
        assert verdict in outcome.verdict
        assert (outcome.state, outcome.is_open) == (states[-1], is_open)

    def test_measures_the_time_from_the_restart_to_the_last_state(self):
        message = make_message(state="FAILED")
        at = restart(message)
        hub_sets(message, "PROCESSING", "OK")
        for state, minutes in (("PROCESSING", 2), ("OK", 7)):
            since = at + timedelta(minutes=minutes)
            MessageEvent.objects.filter(msg_id=message.pk, to_state=state).update(at=since)
        assert outcome_of(message).verdict == "It completed 7 min after the restart."

    def test_reports_that_a_cancel_is_final(self):
        message = make_message(state="POSTPONED")
        cancel(message)
        outcome = outcome_of(message)
        assert "stays cancelled" in outcome.verdict
        assert not outcome.is_open

    def test_reports_that_the_hub_overrode_a_cancel(self, settings):
        settings.HUB_RULES = "openhub"
        message = make_message(state="PROCESSING")
        cancel(message)
        assert "only a request" in outcome_of(message).verdict
        assert outcome_of(message).is_open
        hub_sets(message, "OK")
        assert outcome_of(message).verdict == "The hub overrode the cancel: it is now OK."

    def test_reports_the_last_of_several_actions(self):
        message = make_message(state="FAILED")
        restart(message)
        cancel(message)
        assert outcome_of(message).action == "cancel"

    def test_ignores_refused_actions_and_views_of_payloads(self):
        message = make_message(state="FAILED")
        restart(message)
        with pytest.raises(services.StateConflict):
            restart(message)
        record_entry(actor=ADA, action="view_payload", msg_id=message.pk)
        assert outcome_of(message).action == "restart"

    def test_stops_refreshing_after_ten_minutes(self):
        message = make_message(state="FAILED")
        at = restart(message)
        assert not outcome_of(message, at=at + timedelta(minutes=11)).is_open

    def test_is_bounded(self):
        message = make_message(state="FAILED")
        restart(message)
        hub_sets(message, *["PROCESSING", "POSTPONED"] * MAX_STEPS)
        outcome = outcome_of(message)
        assert (len(outcome.steps), outcome.left_out, outcome.state) == (MAX_STEPS, True, "POSTPONED")

    def test_works_without_a_history(self):
        message = make_message(state="OK")
        record_entry(
            actor=ADA, action="restart", msg_id=message.pk, before_state="FAILED", after_state="PARTLY_FAILED"
        )
        outcome = outcome_of(message)
        assert [step.state for step in outcome.steps] == ["PARTLY_FAILED", "OK"]
        assert "It completed" in outcome.verdict
