"""
Funnels as lanes: a value at a component, the messages that hold it, and the waiting ones with the reasons.

The rules are in blocking.py.

Source: docs/contributing/spec/cleverbus.md, "Funnels", "Guaranteed order".
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property

from messages_app.messages.funnels import blocking
from messages_app.messages.funnels.blocking import Member
from messages_app.messages.hub_times import hub_times
from messages_app.messages.services import hub_rules
from messages_app.shared.hub_defaults import FUNNEL_IDLE_AFTER
from messages_app.shared.message_states import MessageState

# Of a guaranteed order, up to this many messages are shown before the waiting ones.
MAX_BEFORE = 20


class Why(StrEnum):
    """
    The reason why a message waits in a lane: a subset of the reasons of explain (docs/reference/explain.md).
    """

    HELD_BY_FUNNEL = "held_by_funnel"
    HELD_BY_ORDER = "held_by_order"
    HELD_BY_FAILED_ORDER = "held_by_failed_order"
    ORDER_TIME_OVER = "order_time_over"
    POSTPONES_ITSELF = "postpones_itself"
    BEHIND_IN_LINE = "behind_in_line"
    FREE_TO_GO = "free_to_go"


BY_ORDER = frozenset({Why.HELD_BY_ORDER, Why.HELD_BY_FAILED_ORDER, Why.ORDER_TIME_OVER})


@dataclass(frozen=True, kw_only=True)
class Holder:
    """
    A message that runs with the lane's value.

    Args:
        idle_at: the end of the idle window. From then on it does not block other messages.
        is_idle: whether the idle window has ended, so that it runs but holds nothing.
    """

    member: Member
    idle_at: datetime
    is_idle: bool


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """
    A waiting message, with its position in the queue.

    Args:
        position: the hub's poll takes 1 first.
        blocked_by: the message that has to change first, if there is one.
    """

    member: Member
    position: int
    why: Why
    blocked_by: int | None


@dataclass(frozen=True, kw_only=True)
class Lane:
    """
    One value at one component.

    Args:
        component_id: None if the messages have no component, and for a hub whose values are exclusive across
            all funnels.
        holders: the messages that run with the value; messages that hold it are first.
        order: the first messages before the waiting ones in their guaranteed order, beginning with its head.
            Empty if no order keeps a message waiting.
        waiting: in the order of the hub's poll.
        `since`: the receipt of the longest waiting message; without waiting messages, the start of the holder
            that started first.
    """

    value: str
    component_id: str | None
    holders: tuple[Holder, ...]
    order: tuple[Member, ...]
    waiting: tuple[Waiting, ...]
    since: datetime


@dataclass(frozen=True)
class Sketch:
    """A lane with only the messages of the first query: enough for sorting, but not for reasons."""

    component_id: str | None
    value: str
    waiting: tuple[Member, ...]
    running: tuple[Member, ...]

    @property
    def since(self) -> datetime:
        if self.waiting:
            return min(member.receive_timestamp for member in self.waiting)
        return min(
            member.start_process_timestamp for member in self.running if member.start_process_timestamp
        )


def sketch_lanes(waiting: Iterable[Member], running: Iterable[Member]) -> list[Sketch]:
    """Return one sketch for each value and component that a message waits for or holds."""
    members_by_lane: dict[tuple[str | None, str], tuple[list[Member], list[Member]]] = {}
    for place, members in enumerate((waiting, running)):
        for member in members:
            component = member.funnel_component_id if hub_rules().compares_component else None
            for value in dict.fromkeys(member.values):
                members_by_lane.setdefault((component, value), ([], []))[place].append(member)
    return [Sketch(*key, tuple(first), tuple(second)) for key, (first, second) in members_by_lane.items()]


def make_lanes(chosen: Sequence[Sketch], *, at: datetime) -> list[Lane]:
    """Return the lanes of these sketches, in their order, as they are at `at`."""
    runners: dict[str | None, list[Holder]] = {}
    for component in dict.fromkeys(sketch.component_id for sketch in chosen):
        values = [sketch.value for sketch in chosen if sketch.component_id == component]
        runners[component] = _list_runners(values, component, at)
    return [_make_lane(sketch, runners[sketch.component_id], at) for sketch in chosen]


def _list_runners(values: list[str], component_id: str | None, at: datetime) -> list[Holder]:
    """Return the messages that run with any of the values; messages that hold it are first."""
    holders = blocking.find_holders(values=values, component_id=component_id, at=at)
    overstayers = blocking.find_overstayers(values=values, component_id=component_id, at=at)
    return [*_list_holders(holders, is_idle=False), *_list_holders(overstayers, is_idle=True)]


def _list_holders(members: Iterable[Member], *, is_idle: bool) -> Iterator[Holder]:
    for member in members:
        if member.start_process_timestamp is not None:
            idle_at = member.start_process_timestamp + FUNNEL_IDLE_AFTER
            yield Holder(member=member, idle_at=idle_at, is_idle=is_idle)


def _make_lane(sketch: Sketch, runners: list[Holder], at: datetime) -> Lane:
    line = _Line(
        members=sorted(sketch.waiting, key=blocking.poll_order),
        holders=[runner for runner in runners if sketch.value in runner.member.values],
        orders=_list_orders(sketch),
        at=at,
    )
    waiting = tuple(line.list_waiting())
    return Lane(
        value=sketch.value,
        component_id=sketch.component_id,
        holders=tuple(line.holders),
        order=line.order_before(waiting),
        waiting=waiting,
        since=sketch.since,
    )


def _list_orders(sketch: Sketch) -> dict[bool, list[Member]]:
    """Return the beginning of the value's guaranteed order, by whether it leaves out FAILED messages."""
    needed = {member.exclude_failed_state for member in sketch.waiting if member.guaranteed_order}
    return {
        flag: blocking.order_queue(values=[sketch.value], exclude_failed=flag, limit=MAX_BEFORE)
        for flag in needed
    }


@dataclass(frozen=True, kw_only=True)
class _Line:
    """The waiting messages of one lane, in the poll's order, and everything that can block them."""

    members: list[Member]
    holders: list[Holder]
    orders: dict[bool, list[Member]]
    at: datetime

    def list_waiting(self) -> Iterator[Waiting]:
        for number, member in enumerate(self.members, start=1):
            why, blocked_by = self._find_cause(member)
            yield Waiting(member=member, position=number, why=why, blocked_by=blocked_by)

    def order_before(self, waiting: Sequence[Waiting]) -> tuple[Member, ...]:
        """Return the messages before these in their order, without waiting ones, which are in the queue."""
        heads = {place.blocked_by for place in waiting if place.why in BY_ORDER}
        order = next((order for order in self.orders.values() if order and order[0].msg_id in heads), [])
        return tuple(member for member in order if member.state != MessageState.POSTPONED)

    @cached_property
    def _order_fails_after(self) -> timedelta:
        return hub_times().order_fails_after

    @cached_property
    def _holder(self) -> Holder | None:
        return next((holder for holder in self.holders if not holder.is_idle), None)

    @cached_property
    def _first(self) -> Member | None:
        """The message that the poll lets through first; a message that blocks itself never enters."""
        able = (member for member in self.members if not blocking.is_blocked_by_itself(member.values))
        return next(able, None)

    def _find_cause(self, member: Member) -> tuple[Why, int | None]:
        """Return why a message waits and for which other one, in the order of the hub's checks."""
        order = self.orders[member.exclude_failed_state] if member.guaranteed_order else []
        if order and order[0].msg_id != member.msg_id:
            return self._order_cause(member, order[0]), order[0].msg_id
        if blocking.is_blocked_by_itself(member.values):
            return Why.POSTPONES_ITSELF, None
        if self._holder is not None:
            return Why.HELD_BY_FUNNEL, self._holder.member.msg_id
        if self._first is None or self._first is member:
            return Why.FREE_TO_GO, None
        return Why.BEHIND_IN_LINE, self._first.msg_id

    def _order_cause(self, member: Member, head: Member) -> Why:
        if member.receive_timestamp + self._order_fails_after < self.at:
            return Why.ORDER_TIME_OVER
        return Why.HELD_BY_FAILED_ORDER if head.state == MessageState.FAILED else Why.HELD_BY_ORDER
