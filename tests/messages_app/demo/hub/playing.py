"""A stage for tests of the played hub, and messages as the hub would find them now."""

from dataclasses import replace
from datetime import timedelta

from django.utils import timezone

from messages_app.demo.hub.agenda import Steps
from messages_app.demo.hub.database import draw_ids
from messages_app.demo.hub.play import Play, Stage, Timing
from messages_app.demo.senders import Senders
from messages_app.demo.world import make_dice
from messages_app.messages.models import Message
from tests.support.factories import make_funnel, make_message

# Routes take no time, the hub's waits are its own.
TIMING = replace(Timing.at_speed(1.0), work=10_000.0)


def make_stage(**play: object) -> Stage:
    """Return a stage on which no message fails on its own."""
    first = draw_ids(1)[0]
    random = make_dice(first)
    defaults = {"timing": TIMING, "failing": 0.0}
    senders = Senders(random=random, name="L", count=first, pool=400)
    return Stage(Play(**defaults | play), random=random, senders=senders)


def ago(seconds: float):
    return timezone.now() - timedelta(seconds=seconds)


def stored(state: str, *, age: float = 120, values: tuple[str, ...] = (), **columns: object) -> Message:
    """Store a message received, started and last changed `age` seconds ago, with its funnel values."""
    times = ("msg_timestamp", "receive_timestamp", "start_process_timestamp", "last_process_timestamp")
    message = make_message(**({"state": state} | dict.fromkeys(times, ago(age)) | columns))
    for value in values:
        make_funnel(message, funnel_value=value)
    return message


def done(steps: Steps) -> object:
    """Bring one piece of work to its end; return what it gives."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def settle(stage: Stage) -> None:
    """Bring everything in progress on a stage to its end."""
    while stage.agenda.seconds_left() < float("inf"):
        stage.agenda.step()


def state_of(message: Message) -> str:
    return Message.objects.values_list("state", flat=True).get(pk=message.pk)


def fresh(message: Message) -> Message:
    return Message.objects.get(pk=message.pk)
