"""
The effects of a cancel or a restart on the funnel and the guaranteed order of a message.

The rules are in funnels/blocking.py.

Source: docs/contributing/spec/cleverbus.md, "Restart and cancel" points 5 and 7, "Funnels", "Guaranteed
order".
"""

from collections.abc import Sequence
from datetime import datetime

from messages_app.core.formatting import format_duration
from messages_app.messages.actions.effects import Effect, EffectCode, format_bounded_count
from messages_app.messages.funnels.blocking import (
    MAX_LINE,
    Member,
    find_holders,
    funnel_values,
    is_blocked_by_itself,
    order_queue,
    poll_order,
)
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.hub_times import expect_pickup, format_clock_time, hub_times
from messages_app.messages.services import hub_rules

_NAMED = 3


def order_of_restarted(message: MessageColumns, *, at: datetime) -> Effect | None:
    """Return the place of a restarted message in its guaranteed order; None without such an order."""
    if not message.guaranteed_order:
        return None
    values = funnel_values(message)
    if not values:
        text = "Its order is guaranteed, but it has no funnel value, so the hub fails on every attempt."
        return Effect(code=EffectCode.ORDER_WITHOUT_VALUE, text=text, is_warning=True)
    queue = order_queue(values=values, exclude_failed=message.exclude_failed_state)
    before = [member for member in queue if _is_before(member, message)]
    if not before:
        return _first_in_order(message, queue)
    limit = hub_times().order_fails_after
    fails_at = message.receive_timestamp + limit
    names = _write_members(before, "earlier message")
    if fails_at < expect_pickup(at)[1]:
        text = (
            f"{names} in its order must go first, and its next attempt is later than "
            f"{format_duration(limit)} after "
            f"it was received: that attempt fails with E121. Restart {before[0].msg_id} first and wait until "
            "it finishes."
        )
        return _order_effect(EffectCode.ORDER_FAILS, text, before, is_warning=True)
    time = format_clock_time(fails_at)
    text = f"{names} in its order must go first: it is postponed and fails with E121 at {time}."
    return _order_effect(EffectCode.ORDER_BEHIND, text, before, is_warning=True)


def _first_in_order(message: MessageColumns, queue: Sequence[Member]) -> Effect:
    behind = [member for member in queue if member.msg_id != message.msg_id]
    text = "It is first in its guaranteed order, so it can start."
    if behind:
        text += f" Behind it: {_write_members(behind, 'later message')}."
    return _order_effect(EffectCode.ORDER_FIRST, text, behind)


def order_of_cancelled(message: MessageColumns) -> Effect | None:
    """Return the effect of a cancel on later messages in its guaranteed order; None without any."""
    if not message.guaranteed_order:
        return None
    queue = order_queue(values=funnel_values(message))
    others = [member for member in queue if member.msg_id != message.msg_id]
    behind = [member for member in others if not _is_before(member, message)]
    if not behind:
        return None
    text = f"It no longer blocks its order: {_write_members(behind, 'later message')}."
    if len(behind) == len(others):
        text += f" Message {behind[0].msg_id} is first then."
    return _order_effect(EffectCode.ORDER_FREED, text, behind)


def funnel_of_restarted(message: MessageColumns, *, at: datetime) -> Effect | None:
    """Return whether a restarted message can enter its funnel; None without a funnel value."""
    values = funnel_values(message)
    if not values:
        return None
    if is_blocked_by_itself(values):
        number = format_bounded_count(len(values), "funnel value")
        text = f"It has {number}, and the hub counts it once for each, so it blocks itself at every attempt."
        return Effect(code=EffectCode.FUNNEL_AGAINST_ITSELF, text=text, is_warning=True)
    blockers = find_holders(
        values=values, component_id=message.funnel_component_id, at=at, excluding=message.msg_id
    )
    if not blockers:
        return Effect(code=EffectCode.FUNNEL_FREE, text=f"Its funnel {_join_values(values)} is free.")
    names = _write_members(blockers, "message")
    text = f"Its funnel {_join_values(values)} is held by {names}: it is postponed until that ends."
    return _order_effect(EffectCode.FUNNEL_HELD, text, blockers, is_warning=True)


def funnel_of_cancelled(message: MessageColumns) -> Effect | None:
    """Return the effect of a cancel on the funnel that the message holds; None if it holds no funnel."""
    values = funnel_values(message)
    if not values or message.state not in hub_rules().holds_funnel:
        return None
    return Effect(code=EffectCode.FUNNEL_FREED, text=f"It no longer holds its funnel {_join_values(values)}.")


def _is_before(member: Member, message: MessageColumns) -> bool:
    return member.msg_id != message.msg_id and poll_order(member) < poll_order(message)


def _order_effect(
    code: EffectCode, text: str, members: Sequence[Member], *, is_warning: bool = False
) -> Effect:
    named = tuple(member.msg_id for member in members[:_NAMED])
    return Effect(code=code, text=text, msg_ids=named, is_warning=is_warning)


def _write_members(members: Sequence[Member], noun: str) -> str:
    """Write the number of members, and the ids and states of the first ones."""
    named = ", ".join(f"{member.msg_id} {member.state}" for member in members[:_NAMED])
    more = ", ..." if len(members) > _NAMED else ""
    return f"{format_bounded_count(len(members), noun, more=len(members) >= MAX_LINE)} ({named}{more})"


def _join_values(values: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(values))
