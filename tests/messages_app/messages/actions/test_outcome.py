from datetime import datetime, timedelta

import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor, record
from messages_app.core.clock import database_clock
from messages_app.messages import services
from messages_app.messages.actions.outcome import MAX_STEPS, NEWS_FOR, Followed, followed
from messages_app.messages.models import Message
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


def now_of(message: Message, *, at: datetime | None = None) -> Followed | None:
    return followed(Message.objects.get(pk=message.pk), at=at or database_clock())


class TestFollowed:
    def test_is_nothing_without_an_action_or_a_day_after_it(self):
        message = make_message(state="FAILED")
        assert now_of(message) is None
        at = restart(message)
        assert now_of(message, at=at + NEWS_FOR) is not None
        assert now_of(message, at=at + NEWS_FOR + timedelta(seconds=1)) is None

    def test_reports_until_when_the_hub_picks_it_up(self):
        message = make_message(state="FAILED")
        make_external_call(message)
        at = restart(message, total=True)
        told = now_of(message, at=at + timedelta(seconds=14))
        assert (told.action, told.total, told.actor, told.reason) == ("restart", True, "ada", "try")
        assert [step.state for step in told.steps] == ["PARTLY_FAILED"]
        assert "The hub picks it up between" in told.verdict
        assert told.is_open

    def test_says_when_the_hub_is_late(self):
        message = make_message(state="FAILED")
        at = restart(message)
        told = now_of(message, at=at + timedelta(seconds=121))
        assert "should have picked it up" in told.verdict
        assert told.is_open

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
        told = now_of(message)
        assert [step.state for step in told.steps] == ["PARTLY_FAILED", *states]
        assert [step.actor for step in told.steps] == ["ada"] + [None] * len(states)
        assert verdict in told.verdict
        assert (told.state, told.is_open) == (states[-1], is_open)

    def test_reports_that_a_cancel_is_firm(self):
        message = make_message(state="POSTPONED")
        cancel(message)
        told = now_of(message)
        assert "stays cancelled" in told.verdict
        assert not told.is_open

    def test_reports_that_the_hub_overtook_a_cancel(self, settings):
        settings.HUB_RULES = "openhub"
        message = make_message(state="PROCESSING")
        cancel(message)
        assert "only a request" in now_of(message).verdict
        assert now_of(message).is_open
        hub_sets(message, "OK")
        assert now_of(message).verdict == "The hub overrode the cancel: it is now OK."

    def test_reports_the_last_of_several_actions(self):
        message = make_message(state="FAILED")
        restart(message)
        cancel(message)
        assert now_of(message).action == "cancel"

    def test_passes_by_refused_actions_and_checks_payloads(self):
        message = make_message(state="FAILED")
        restart(message)
        with pytest.raises(services.StateConflict):
            restart(message)
        record(actor=ADA, action="view_payload", msg_id=message.pk)
        assert now_of(message).action == "restart"

    def test_stops_asking_when_nothing_comes(self):
        message = make_message(state="FAILED")
        at = restart(message)
        assert not now_of(message, at=at + timedelta(minutes=11)).is_open

    def test_is_bounded(self):
        message = make_message(state="FAILED")
        restart(message)
        hub_sets(message, *["PROCESSING", "POSTPONED"] * MAX_STEPS)
        told = now_of(message)
        assert (len(told.steps), told.left_out, told.state) == (MAX_STEPS, True, "POSTPONED")

    def test_does_without_a_history(self):
        message = make_message(state="OK")
        record(
            actor=ADA, action="restart", msg_id=message.pk, before_state="FAILED", after_state="PARTLY_FAILED"
        )
        told = now_of(message)
        assert [step.state for step in told.steps] == ["PARTLY_FAILED", "OK"]
        assert "It completed" in told.verdict
