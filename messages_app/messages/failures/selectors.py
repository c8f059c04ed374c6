"""Groups of failures for their pages, the first page, the handover and the API."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

from messages_app.core.statements import Statements
from messages_app.messages.failures.models import (
    PRESSING_STATES,
    ErrorCode,
    FailureGroup,
    FailureMember,
    FailureMinute,
)
from messages_app.messages.metrics.counts import freshness
from messages_app.shared.message_states import MessageState

statements = Statements("messages_app.messages.failures")

# Of a group, up to this many of the newest messages are checked.
CHECKED_MESSAGES = 1_000


@dataclass(frozen=True, kw_only=True)
class GroupOutcome:
    """
    The numbers of messages by their current state, of the newest CHECKED_MESSAGES messages of a group.

    Args:
        failed, ok, cancelled: in that state.
        in_progress: in any other state, so the hub is not finished with them.
        gone: archived, or removed by the hub.
    """

    failed: int = 0
    ok: int = 0
    cancelled: int = 0
    in_progress: int = 0
    gone: int = 0

    @property
    def total(self) -> int:
        return self.failed + self.ok + self.cancelled + self.in_progress + self.gone

    @property
    def is_repaired(self) -> bool:
        """Whether no message is FAILED or in progress; False if the group may have older messages."""
        return 0 < self.total < CHECKED_MESSAGES and not self.failed and not self.in_progress


def outcomes_of_groups(group_ids: Collection[int]) -> Mapping[int, GroupOutcome]:
    """Return the outcome of the newest messages of each group, by its id."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    values = {"groups": list(group_ids), "fence": CHECKED_MESSAGES}
    for group_id, state, messages in statements.rows("states_of_groups", values):
        counts[group_id][_OUTCOMES.get(state, "in_progress")] += messages
    return {group_id: GroupOutcome(**counts[group_id]) for group_id in group_ids}


# The field of GroupOutcome by state; messages that are not in the live table have no state.
_OUTCOMES = {
    MessageState.FAILED: "failed",
    MessageState.OK: "ok",
    MessageState.CANCEL: "cancelled",
    None: "gone",
}


# Maximum lengths of lists.
MOST_GROUPS = 200
MOST_MESSAGES = 5
MOST_OBJECTS = 20
# In the list, messages are checked for the first groups, up to this many failures in total.
CHECKED_FAILURES = 10_000


@dataclass(frozen=True, kw_only=True)
class Windows:
    """The failures of a group in the last hour, 3 hours, 24 hours and 7 days."""

    hour: int
    hours_3: int
    day: int
    days_7: int


@dataclass(frozen=True, kw_only=True)
class GroupLine:
    """
    A group in the list, with its counts.

    Args:
        failing_now: the number of messages that are still FAILED. For large groups, and those at the end of
            the list, an upper bound from the counts of the last 7 days, which other groups of the same
            service, operation and code share.
        is_quiet: whether no message is left to repair.
        known: the catalogue entry of its error code, if there is one.
    """

    group: FailureGroup
    windows: Windows
    failing_now: int
    is_quiet: bool
    known: ErrorCode | None


@dataclass(frozen=True, kw_only=True)
class AffectedObject:
    """
    An object of the newest messages of a group.

    Args:
        entity_type: may be empty.
        messages: the number of these messages that have the object.
        failing_now: the number of them that are still FAILED.
        msg_id: the newest of them.
    """

    entity_type: str
    object_id: str
    messages: int
    failing_now: int
    msg_id: int


def failing_groups(*, most: int = MOST_GROUPS, checks_messages: bool = True) -> list[GroupLine]:
    """
    Return the groups that failed in the last 7 days, most urgent first.

    New and regressed groups with FAILED messages come first. Then groups are sorted by failures per hour,
    with more weight on the last hours, and by the share of failures that is not repaired.

    Args:
        checks_messages: whether to check the messages of the first groups, up to CHECKED_FAILURES failures,
            instead of using the counts.
    """
    rows = statements.rows("group_windows", {"most": most})
    groups = FailureGroup.objects.in_bulk([group_id for group_id, *_ in rows])
    catalogue = ErrorCode.objects.in_bulk({group.failed_error_code for group in groups.values()})
    checked = _checked_groups([groups[group_id] for group_id, *_ in rows]) if checks_messages else []
    outcomes = outcomes_of_groups(checked) if checked else {}
    counted_at, _ = freshness()
    lines = [
        _line(
            groups[group_id],
            Windows(hour=hour, hours_3=hours_3, day=day, days_7=days_7),
            failing_now,
            outcome=outcomes.get(group_id),
            counted_at=counted_at,
            known=catalogue.get(groups[group_id].failed_error_code),
        )
        for group_id, hour, hours_3, day, days_7, failing_now in rows
    ]
    return sorted(lines, key=lambda line: not (line.failing_now and line.group.state in PRESSING_STATES))


def _checked_groups(groups: Sequence[FailureGroup]) -> list[int]:
    """
    Return the first groups that have up to CHECKED_FAILURES failures in total.

    A group never has more messages than failures.
    """
    sums = accumulate(min(group.failures, CHECKED_MESSAGES) for group in groups)
    return [group.pk for group, failures in zip(groups, sums, strict=True) if failures <= CHECKED_FAILURES]


def _line(
    group: FailureGroup,
    windows: Windows,
    estimate: int,
    *,
    outcome: GroupOutcome | None,
    counted_at: datetime | None,
    known: ErrorCode | None,
) -> GroupLine:
    """Return the line of a group from the outcome of its messages, or from the counts if it is unknown."""
    if outcome is not None and 0 < outcome.total < CHECKED_MESSAGES:
        failing_now, is_quiet = outcome.failed, outcome.is_repaired
    else:
        is_counted = counted_at is not None and group.last_seen < counted_at
        failing_now, is_quiet = estimate, is_counted and not estimate
    return GroupLine(group=group, windows=windows, failing_now=failing_now, is_quiet=is_quiet, known=known)


def pressing_since(since: datetime, *, most: int = MOST_GROUPS) -> list[FailureGroup]:
    """Return the groups that became new or regressed since a time, newest first."""
    groups = FailureGroup.objects.filter(state__in=PRESSING_STATES, state_at__gte=since)
    return list(groups.order_by("-state_at")[:most])


def failed_since(since: datetime, *, most: int) -> list[FailureGroup]:
    """Return the groups that failed since a time, newest failure first."""
    groups = FailureGroup.objects.filter(last_seen__gte=since)
    return list(groups.order_by("-last_seen", "-group_id")[:most])


def newest_messages(group_id: int) -> list[int]:
    """Return the newest messages whose last failure is in a group."""
    members = FailureMember.objects.filter(group_id=group_id).order_by("-msg_id")
    return list(members.values_list("msg_id", flat=True)[:MOST_MESSAGES])


def still_failing(group_id: int) -> tuple[int, int | None]:
    """Return how many of a group's newest CHECKED_MESSAGES messages are FAILED, and the newest of these."""
    values = {"group_id": group_id, "fence": CHECKED_MESSAGES}
    messages, newest = statements.only_row("still_failing", values)
    return messages, newest


def affected_objects(group_id: int) -> list[AffectedObject]:
    """Return the objects of the newest CHECKED_MESSAGES messages of a group, most FAILED messages first."""
    values = {"group_id": group_id, "fence": CHECKED_MESSAGES, "most": MOST_OBJECTS}
    names = AffectedObject.__annotations__
    rows = statements.rows("affected", values)
    return [AffectedObject(**dict(zip(names, row, strict=True))) for row in rows]


def failures_by_minute(group_ids: Collection[int], since: datetime) -> list[tuple[int, datetime, int]]:
    """Return (group, minute, failures) since a time, oldest first."""
    counts = FailureMinute.objects.filter(group_id__in=group_ids, minute__gte=since).order_by("minute")
    return list(counts.values_list("group_id", "minute", "failures"))
