"""How lanes are drawn: what is first, how long the bars are, and what there is no room for."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property

from messages_app.messages.funnels.blocking import Member
from messages_app.messages.funnels.lanes import BY_ORDER, Holder, Lane, Waiting, Why
from messages_app.messages.hub_times import POLL_EVERY, POSTPONED_RESTS
from messages_app.shared.hub_defaults import FUNNEL_IDLE_AFTER
from messages_app.shared.message_states import MessageState

# Blocks of the ones who hold a lane, and of those behind; in a lane that is shown alone, rows.
HOLDERS, BLOCKS, ROWS = 3, 10, 150
# What is free to go and was not checked for this long is not waiting for a funnel, but for the hub.
_OVERDUE = POSTPONED_RESTS + 3 * POLL_EVERY
# The bar of an age: from nothing to full, by the logarithm, so that a minute and a day are both seen.
_SHORTEST, _LONGEST = timedelta(seconds=5), timedelta(days=7)


class Kind(StrEnum):
    """What a lane is about, the worst first."""

    FAILED_ORDER = "failed_order"
    ITSELF = "itself"
    ORDER = "order"
    HELD = "held"
    OVERDUE = "overdue"
    FREE = "free"
    ONLY_HELD = "only_held"


@dataclass(frozen=True)
class DrawnHolder:
    """A holder, and how far its idle window has run, in percent."""

    holder: Holder
    share: int


@dataclass(frozen=True)
class DrawnLane:
    """One lane as it is drawn at a moment; `is_whole` where it is shown alone."""

    lane: Lane
    at: datetime
    is_whole: bool

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
    def looked_at(self) -> datetime | None:
        """When the hub last tried one of the ones who wait."""
        looks = (place.member.last_process_timestamp for place in self.lane.waiting)
        return max((look for look in looks if look), default=None)

    @property
    def _is_overdue(self) -> bool:
        return self.looked_at is not None and self.looked_at + _OVERDUE < self.at

    @property
    def head(self) -> Member | None:
        """The message that is first in a guaranteed order, where that keeps others waiting."""
        return self.lane.order[0] if self.lane.order else None

    @property
    def others_before(self) -> tuple[Member, ...]:
        """Who must be through as well before the ones who wait; the first few."""
        return self.lane.order[1 : BLOCKS + 1]

    @property
    def more_before(self) -> bool:
        return len(self.lane.order) > BLOCKS + 1

    @cached_property
    def holders(self) -> list[DrawnHolder]:
        return [DrawnHolder(holder, self._run(holder)) for holder in self.lane.holders[:HOLDERS]]

    @property
    def holding(self) -> int:
        """How many hold the value: those whose idle window has not passed."""
        return sum(not holder.is_idle for holder in self.lane.holders)

    @property
    def more_holders(self) -> int:
        return len(self.lane.holders) - len(self.holders)

    def _run(self, holder: Holder) -> int:
        started = holder.idle_at - FUNNEL_IDLE_AFTER
        return _percent((self.at - started) / FUNNEL_IDLE_AFTER)

    @property
    def first(self) -> Waiting | None:
        return self.lane.waiting[0] if self.lane.waiting else None

    @property
    def shown(self) -> tuple[Waiting, ...]:
        return self.lane.waiting[: ROWS if self.is_whole else BLOCKS]

    @property
    def more(self) -> int:
        """How many wait that are not shown."""
        return len(self.lane.waiting) - len(self.shown)

    @property
    def age_share(self) -> int:
        """How long the bar of the longest wait is, in percent."""
        age = max(self.at - self.lane.since, _SHORTEST)
        return _percent(math.log(age / _SHORTEST) / math.log(_LONGEST / _SHORTEST))


def _percent(share: float) -> int:
    return round(100 * min(max(share, 0.02), 1))
