"""
What a restart of one message will do, before it is done.

Source: docs/spec/cleverbus.md, "Retries", "External calls", "Restart and cancel".
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from messages_app.messages.actions.effects import Effect, EffectCode, counted
from messages_app.messages.actions.external_calls import PlannedCall, planned_calls
from messages_app.messages.actions.family import children_of_restarted, parent_of_restarted
from messages_app.messages.actions.order import funnel_of_restarted, order_of_restarted
from messages_app.messages.available_actions import why_not
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.hub_times import clock_time, picked_up
from messages_app.messages.models import ArchiveMessage
from messages_app.shared.external_calls import WillBe
from messages_app.shared.hub_defaults import TRIES_BEFORE_FAILED
from messages_app.shared.message_states import MessageAction

_TRIES_DRAWN = 10


@dataclass(frozen=True, kw_only=True)
class RestartPreview:
    """
    What a restart would do now.

    Args:
        total: the restart is one from scratch.
        allowed: the hub's rules allow it in the message's state; `why_not` says why they do not, else empty.
        tries_left: how often the hub tries before the message is FAILED permanently.
        picked_up_from, picked_up_until: between these the hub takes it up, if it is restarted now.
        calls: at most calls.MAX_CALLS; `calls_more` says that there are others.
        parent, order, funnel: None where the message has none.
    """

    msg_id: int
    state: str
    total: bool
    allowed: bool
    why_not: str
    failed_count: int
    tries_left: int
    picked_up_from: datetime
    picked_up_until: datetime
    calls: list[PlannedCall]
    calls_more: bool
    parent: Effect | None
    children: Effect
    order: Effect | None
    funnel: Effect | None
    archive: Effect

    @property
    def call_counts(self) -> list[tuple[str, int]]:
        """(their outcome, number) of the calls that are listed."""
        counts = Counter(call.will_be for call in self.calls)
        return [(fate.replace("_", " "), counts[fate]) for fate in WillBe if counts[fate]]

    @property
    def repeated(self) -> int:
        """How many calls that succeeded before are sent again."""
        return sum(call.is_repeated for call in self.calls)

    @property
    def tries(self) -> list[str]:
        """The attempts in order, "failed" or "left", as they are drawn."""
        return ["failed"] * min(self.failed_count, _TRIES_DRAWN) + ["left"] * self.tries_left

    @property
    def tries_words(self) -> str:
        if not self.failed_count:
            return f"It has not failed yet: {self.tries_left} attempts are left."
        failed = f"It has failed {counted(self.failed_count, 'time')}"
        if self.tries_left == 1:
            return f"{failed}: it gets exactly one more attempt, and fails permanently if that fails."
        return f"{failed}, and the count continues: {self.tries_left} attempts are left."

    @property
    def pickup_words(self) -> str:
        start, end = clock_time(self.picked_up_from), clock_time(self.picked_up_until)
        return (
            f"If restarted now, the hub picks it up between {start} and {end}, or later if the hub is busy."
        )

    @property
    def effects(self) -> list[Effect]:
        """What there is to tell in addition to calls and tries, warnings first."""
        told = [each for each in (self.order, self.funnel, self.parent, self.children, self.archive) if each]
        told = [each for each in told if each.code != EffectCode.CHILDREN_NONE]
        return sorted(told, key=lambda each: not each.is_warning)


def tries_left(failed_count: int) -> int:
    """
    Return how many attempts the hub makes before FAILED: the count is compared before it grows
    (docs/spec/cleverbus.md, "Retries").
    """
    return max(1, TRIES_BEFORE_FAILED - failed_count + 1)


def restart_preview(message: MessageColumns, *, total: bool, at: datetime) -> RestartPreview:
    """
    Return what a restart of `message` at `at` would do, whether it is allowed or not.

    Args:
        message: live or archived; its wide columns are not read.
    """
    reason = why_not(MessageAction.RESTART, message.state, isinstance(message, ArchiveMessage))
    calls, more = planned_calls(message, total=total)
    earliest, latest = picked_up(at)
    return RestartPreview(
        msg_id=message.msg_id,
        state=message.state,
        total=total,
        allowed=not reason,
        why_not=reason,
        failed_count=message.failed_count,
        tries_left=tries_left(message.failed_count),
        picked_up_from=earliest,
        picked_up_until=latest,
        calls=calls,
        calls_more=more,
        parent=parent_of_restarted(message),
        children=children_of_restarted(message),
        order=order_of_restarted(message, at=at),
        funnel=funnel_of_restarted(message, at=at),
        archive=_archive(message),
    )


def _archive(message: MessageColumns) -> Effect:
    if isinstance(message, ArchiveMessage):
        return Effect(
            code=EffectCode.ARCHIVED,
            text="It is in the archive: restore it before you restart it.",
            is_warning=True,
        )
    return Effect(code=EffectCode.ARCHIVE_LATER, text="It is not archived until it has ended again.")
