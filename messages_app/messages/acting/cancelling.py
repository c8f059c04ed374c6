"""What a cancel of one message will do, before it is done. Source: spec/cleverbus.md 3.1, points 7 to 10."""

from messages_app.messages.acting.effects import Effect, EffectCode
from messages_app.messages.acting.family import children_of_cancelled, parent_of_cancelled
from messages_app.messages.acting.order import funnel_of_cancelled, order_of_cancelled
from messages_app.messages.acting.timing import day_and_time
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.states import HUB_OWNED_STATES


def cancel_effects(message: MessageColumns) -> list[Effect]:
    """Return what a cancel of a live message means, warnings first but for whether it is firm at all."""
    others = (
        parent_of_cancelled(message),
        children_of_cancelled(message),
        order_of_cancelled(message),
        funnel_of_cancelled(message),
        _archive(message),
        Effect(code=EffectCode.NOT_TAKEN_BACK, text="Nothing that it has done already is taken back."),
        Effect(code=EffectCode.NOT_CONFIRMED, text="No confirmation is sent to the source system."),
    )
    told = [each for each in others if each]
    return [_firmness(message), *sorted(told, key=lambda each: not each.is_warning)]


def _firmness(message: MessageColumns) -> Effect:
    if message.state in HUB_OWNED_STATES:
        text = (
            f"It is {message.state}, so this is only a request: the hub does not look at the row again, and "
            "may overwrite the cancel when it finishes."
        )
        return Effect(code=EffectCode.CANCEL_REQUESTED, text=text, is_warning=True)
    return Effect(code=EffectCode.CANCEL_FIRM, text="The cancel is firm: the hub will not try it again.")


def _archive(message: MessageColumns) -> Effect:
    last = message.last_process_timestamp or message.receive_timestamp
    text = (
        f"A cancel does not make it younger: the archive counts from {day_and_time(last)}, so its next run "
        "may take it."
    )
    return Effect(code=EffectCode.ARCHIVE_BY_AGE, text=text)
