"""Lanes of funnels, made up for tests."""

from datetime import datetime, timedelta

from messages_app.messages.funnels.blocking import Member
from messages_app.messages.funnels.lanes import Holder, Lane, Waiting, Why
from messages_app.shared.hub_defaults import FUNNEL_IDLE_AFTER
from tests.support.factories import NOON


def ago(minutes: int) -> datetime:
    return NOON - timedelta(minutes=minutes)


def member(number: int, state: str = "POSTPONED", *, values: int = 1) -> Member:
    """Return a message whose times are all that many minutes ago, and a few more."""
    return Member(
        msg_id=number,
        state=state,
        msg_timestamp=ago(number + 1),
        receive_timestamp=ago(number + 2),
        start_process_timestamp=ago(number - 10),
        last_process_timestamp=ago(number + 4),
        funnel_component_id="f",
        guaranteed_order=False,
        exclude_failed_state=False,
        values=("7",) * values,
    )


def holder(number: int, *, is_idle: bool = False) -> Holder:
    return Holder(
        member=member(number, "PROCESSING"), idle_at=ago(number - 10) + FUNNEL_IDLE_AFTER, is_idle=is_idle
    )


def waiting(position: int, why: Why, blocked_by: int | None = None, *, values: int = 1) -> Waiting:
    return Waiting(
        member=member(20 + position, values=values), position=position, why=why, blocked_by=blocked_by
    )


def lane(**values: object) -> Lane:
    empty = {"value": "7", "component_id": "f", "holders": (), "order": (), "waiting": (), "since": ago(61)}
    return Lane(**empty | values)


HELD = lane(
    holders=(holder(12), holder(13, is_idle=True), holder(14), holder(15), holder(16)),
    waiting=tuple(waiting(position, Why.HELD_BY_FUNNEL, 12) for position in range(1, 13)),
)
ORDERED = lane(
    value="8",
    component_id=None,
    order=(member(2, "FAILED"), member(3, "WAITING"), member(4, "PARTLY_FAILED")),
    waiting=(waiting(1, Why.ORDER_TIME_OVER, 2),),
    since=ago(6),
)
