"""
The messages that a message must wait for: in a funnel of its route, and in a guaranteed order.

The rule for blocking messages is in messages/funnels/blocking.py.

Source: docs/contributing/spec/cleverbus.md, "Funnels", "Guaranteed order".
"""

from datetime import datetime

from messages_app.demo.hub.outcomes import Hung
from messages_app.demo.hub.play import Stage
from messages_app.demo.hub.writes import hub_time
from messages_app.demo.world import OPERATIONS
from messages_app.messages.funnels import blocking
from messages_app.messages.funnels.blocking import Member, funnel_values
from messages_app.messages.models import Message
from messages_app.shared.hub_defaults import FUNNEL_IDLE_AFTER
from messages_app.shared.message_states import MessageState


def is_first_in_order(message: Message) -> bool:
    """
    Return whether a message is first in its guaranteed order, or has no guaranteed order.

    Raises:
        Hung: it has no funnel value; the hub fails, and does not change the message.
    """
    if not message.guaranteed_order:
        return True
    queue = blocking.order_queue(
        values=funnel_values(message), exclude_failed=message.exclude_failed_state, limit=2
    )
    if not queue:
        raise Hung
    return len(queue) == 1 or queue[0].msg_id == message.pk


def funnel_of(message: Message) -> str | None:
    """Return the component of the funnel in a message's route, or of the funnel that it entered before."""
    operation = OPERATIONS.get(message.operation_name)
    return (operation.funnel if operation else None) or message.funnel_component_id


def is_kept_out(stage: Stage, message: Message) -> bool:
    """
    Return whether its funnel is closed to a message now.

    Raises:
        Hung: the funnel keeps order and has no messages in it, not even this one; the hub breaks.
    """
    component, values = funnel_of(message), funnel_values(message)
    if component is None or not values:
        return False
    if component in stage.play.ordered_funnels:
        return _is_out_of_order(stage, message, component, values)
    return blocking.is_blocked_by_itself(values) or bool(
        blocking.find_holders(
            values=values, component_id=component, at=_window_ends(stage), excluding=message.pk, limit=1
        )
    )


def _is_out_of_order(stage: Stage, message: Message, component: str, values: tuple[str, ...]) -> bool:
    order = blocking.funnel_order(values=values, component_id=component, at=_window_ends(stage))
    counting = [member for member in order if _is_counted(member, message)]
    if not counting:
        raise Hung
    return len(counting) > 1 and counting[0].msg_id != message.pk


def _is_counted(member: Member, message: Message) -> bool:
    return not (message.exclude_failed_state and member.state == MessageState.FAILED)


def _window_ends(stage: Stage) -> datetime:
    """Return the time at which the window of blocking.py begins where the simulated window begins now."""
    return hub_time() + FUNNEL_IDLE_AFTER - stage.timing.funnel_idle_after
