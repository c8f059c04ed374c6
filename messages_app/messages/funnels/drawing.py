"""Funnels as the page draws them: a lane with its holders and waiting messages, and its situation."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from urllib.parse import urlencode

from django.urls import reverse

from messages_app.messages.funnels.blocking import Member
from messages_app.messages.funnels.lanes import BY_ORDER, Holder, Lane, Waiting, Why
from messages_app.messages.hub_times import hub_times
from messages_app.messages.services import hub_rules
from messages_app.shared.hub_defaults import FUNNEL_IDLE_AFTER
from messages_app.shared.message_states import MessageState

# Maximum numbers of blocks for holders and waiting messages, and of rows if a lane is alone on the page.
HOLDERS, BLOCKS, ROWS = 3, 10, 150


# A free message that this number of polls has not checked is waiting for the hub, not for a funnel.
_MISSED_POLLS = 3


# The ends of the bar for an age. It is logarithmic, so that a minute and a day are both visible.
_MIN_DRAWN, _MAX_DRAWN = timedelta(seconds=5), timedelta(days=7)


class Kind(StrEnum):
    """The situation of a lane, worst first."""

    FAILED_ORDER = "failed_order"
    ITSELF = "itself"
    ORDER = "order"
    HELD = "held"
    OVERDUE = "overdue"
    FREE = "free"
    ONLY_HELD = "only_held"


@dataclass(frozen=True)
class DrawnHolder:
    """A holder, with the elapsed part of its idle window in percent."""

    holder: Holder
    share: int


@dataclass(frozen=True)
class DrawnLane:
    """
    One lane at one moment; `is_whole` if no other lane is on the page.

    `values` are the values that the same messages hold and wait for, such as the two of one message.
    """

    lane: Lane
    at: datetime
    is_whole: bool
    values: tuple[str, ...] = ()

    @cached_property
    def kind(self) -> Kind:
        reasons = {place.why for place in self.lane.waiting}
        if reasons & BY_ORDER:
            is_failed = self.lane.order and self.lane.order[0].state == MessageState.FAILED
            return Kind.FAILED_ORDER if is_failed else Kind.ORDER
        if not reasons:
            return Kind.ONLY_HELD
        if reasons == {Why.POSTPONES_ITSELF}:
            return Kind.ITSELF
        if Why.HELD_BY_FUNNEL in reasons:
            return Kind.HELD
        return Kind.OVERDUE if self._is_overdue else Kind.FREE

    @property
    def last_checked_at(self) -> datetime | None:
        """The time at which the hub last checked a waiting message."""
        checks = (place.member.last_process_timestamp for place in self.lane.waiting)
        return max((check for check in checks if check), default=None)

    @property
    def _is_overdue(self) -> bool:
        times = hub_times()
        overdue_after = times.postponed_rests + _MISSED_POLLS * times.poll_every
        return self.last_checked_at is not None and self.last_checked_at + overdue_after < self.at

    @property
    def head(self) -> Member | None:
        """The first message of a guaranteed order that keeps others waiting."""
        return self.lane.order[0] if self.lane.order else None

    @property
    def others_before(self) -> tuple[Member, ...]:
        """The next messages that must complete before the waiting ones; only the first few."""
        return self.lane.order[1 : BLOCKS + 1]

    @property
    def has_more_before(self) -> bool:
        return len(self.lane.order) > BLOCKS + 1

    @cached_property
    def holders(self) -> list[DrawnHolder]:
        return [DrawnHolder(holder, self._elapsed_seconds(holder)) for holder in self.lane.holders[:HOLDERS]]

    @property
    def holding(self) -> int:
        """The number of messages that hold the value: their idle window has not passed."""
        return sum(not holder.is_idle for holder in self.lane.holders)

    @property
    def more_holders(self) -> int:
        return len(self.lane.holders) - len(self.holders)

    def _elapsed_seconds(self, holder: Holder) -> int:
        started = holder.idle_at - FUNNEL_IDLE_AFTER
        return _as_percent((self.at - started) / FUNNEL_IDLE_AFTER)

    @property
    def first(self) -> Waiting | None:
        return self.lane.waiting[0] if self.lane.waiting else None

    @property
    def shown_messages(self) -> tuple[Waiting, ...]:
        return self.lane.waiting[: ROWS if self.is_whole else BLOCKS]

    @property
    def more(self) -> int:
        """The number of waiting messages that are not shown."""
        return len(self.lane.waiting) - len(self.shown_messages)

    def list_of(self, state: str) -> str:
        """
        Return the list of the lane's messages in a state; empty for a lane without a component where the hub
        compares components, because no filter asks for messages without one.
        """
        if hub_rules().compares_component and not self.lane.component_id:
            return ""
        component = {"funnel_component_id": self.lane.component_id} if self.lane.component_id else {}
        query = urlencode({"funnel_value": self.lane.value, **component, "state": state})
        return f"{reverse('message-list')}?{query}"

    @property
    def waiting_list(self) -> str:
        return self.list_of(MessageState.POSTPONED)

    @property
    def order_list(self) -> str:
        return self.list_of(self.lane.order[0].state) if self.lane.order else ""

    @property
    def age_share(self) -> int:
        """The length of the bar for the longest wait, in percent."""
        age = max(self.at - self.lane.since, _MIN_DRAWN)
        return _as_percent(math.log(age / _MIN_DRAWN) / math.log(_MAX_DRAWN / _MIN_DRAWN))


def draw_lanes(lanes: Iterable[Lane], at: datetime, *, is_whole: bool) -> list[DrawnLane]:
    """Return the lanes as cards. Lanes of the same messages, in the same places, are one card."""
    gathered: dict[tuple[object, ...], list[Lane]] = {}
    for lane in lanes:
        gathered.setdefault(_list_places(lane), []).append(lane)
    return [
        DrawnLane(first, at, is_whole, tuple(lane.value for lane in (first, *others)))
        for first, *others in gathered.values()
    ]


def _list_places(lane: Lane) -> tuple[object, ...]:
    """Return the messages of a lane by their places in it."""
    return (
        lane.component_id,
        tuple(holder.member.msg_id for holder in lane.holders),
        tuple(member.msg_id for member in lane.order),
        tuple((place.member.msg_id, place.why, place.blocked_by) for place in lane.waiting),
    )


def _as_percent(share: float) -> int:
    return round(100 * min(max(share, 0.02), 1))
