"""
The preview of a restart of one message.

Source: docs/contributing/spec/cleverbus.md, "Retries", "External calls", "Restart and cancel".
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from messages_app.messages.actions.effects import Effect, EffectCode, format_bounded_count
from messages_app.messages.actions.family import children_of_restarted, parent_of_restarted
from messages_app.messages.actions.order import funnel_of_restarted, order_of_restarted
from messages_app.messages.actions.planned_calls import PlannedCall, plan_calls
from messages_app.messages.available_actions import why_not
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.hub_times import expect_pickup, format_clock_time, hub_times
from messages_app.messages.models import (
    ArchiveMessage,
)
from messages_app.messages.selectors import resend_links
from messages_app.shared.external_calls import WillBe
from messages_app.shared.message_states import MessageAction

_MAX_DRAWN = 10


@dataclass(frozen=True, kw_only=True)
class RestartPreview:
    """
    The effects of a restart now.

    Args:
        total: whether it is a restart from scratch.
        allowed: whether the hub's rules allow it in the message's state; if not, `why_not` is the reason.
        tries_left: the number of attempts before the message is FAILED permanently.
        picked_up_from, picked_up_until: the time between which the hub picks it up if it is restarted now.
        calls: at most MAX_CALLS; `calls_more` is whether there are others.
        parent, order, funnel: None if the message does not have one.
        correction: None unless a new message was sent with its corrected payload.
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
    correction: Effect | None

    @property
    def call_counts(self) -> list[tuple[str, int]]:
        """(outcome, number) of the listed calls."""
        counts = Counter(call.will_be for call in self.calls)
        return [(value.replace("_", " "), counts[value]) for value in WillBe if counts[value]]

    @property
    def repeated(self) -> int:
        """The number of calls that succeeded before and are sent again."""
        return sum(call.is_repeated for call in self.calls)

    @property
    def tries(self) -> list[str]:
        """The attempts in order, "failed" or "left", as the page draws them."""
        return ["failed"] * min(self.failed_count, _MAX_DRAWN) + ["left"] * min(self.tries_left, _MAX_DRAWN)

    @property
    def tries_words(self) -> str:
        if not self.failed_count:
            return f"It has not failed yet: {self.tries_left} attempts are left."
        failed = f"It has failed {format_bounded_count(self.failed_count, 'time')}"
        if self.tries_left == 1:
            return f"{failed}: it gets exactly one more attempt, and fails permanently if that fails."
        return f"{failed}, and the count continues: {self.tries_left} attempts are left."

    @property
    def pickup_words(self) -> str:
        start, end = format_clock_time(self.picked_up_from), format_clock_time(self.picked_up_until)
        return (
            f"If restarted now, the hub picks it up between {start} and {end}, or later if the hub is busy."
        )

    @property
    def effects(self) -> list[Effect]:
        """The effects in addition to calls and attempts, warnings first."""
        effects = (self.correction, self.order, self.funnel, self.parent, self.children, self.archive)
        listed = [effect for effect in effects if effect and effect.code != EffectCode.CHILDREN_NONE]
        return sorted(listed, key=lambda effect: not effect.is_warning)


def tries_left(failed_count: int) -> int:
    """
    Return the number of attempts before FAILED: the hub compares the count before it increases it
    (docs/contributing/spec/cleverbus.md, "Retries").
    """
    return max(1, hub_times().attempts - failed_count)


def restart_preview(message: MessageColumns, *, total: bool, at: datetime) -> RestartPreview:
    """
    Preview a restart of `message` at `at`, whether it is allowed or not.

    Args:
        message: live or archived; the wide columns are not used.
    """
    reason = why_not(MessageAction.RESTART, message.state, isinstance(message, ArchiveMessage))
    calls, more = plan_calls(message, total=total)
    earliest, latest = expect_pickup(at)
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
        archive=_archive_effect(message),
        correction=_correction_effect(message),
    )


def _correction_effect(message: MessageColumns) -> Effect | None:
    resent_as = resend_links(message.msg_id).resent_as
    if resent_as is None:
        return None
    text = f"It was corrected and resent as message {resent_as}. After a restart, the hub processes both."
    return Effect(code=EffectCode.SENT_BEFORE, text=text, msg_ids=(resent_as,), is_warning=True)


def _archive_effect(message: MessageColumns) -> Effect:
    if isinstance(message, ArchiveMessage):
        return Effect(
            code=EffectCode.ARCHIVED,
            text="It is in the archive: restore it before you restart it.",
            is_warning=True,
        )
    return Effect(code=EffectCode.ARCHIVE_LATER, text="It is not archived until it has ended again.")
