"""Reports on groups of failures: what the first page, the handover and the API show."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

from messages_app.core.statements import Statements
from messages_app.messages.failures.models import ErrorCode, FailureGroup, FailureMember, FailureMinute
from messages_app.messages.failures.states import PRESSING_STATES
from messages_app.messages.metrics.counts import freshness
from messages_app.shared.message_states import MessageState

statements = Statements("messages_app.messages.failures")

# The outcome of the messages of failure groups: whether any is left to repair.


# What is FAILED still, and objects, are those of this many of a group's newest messages.
LOOKED_AT = 1_000


@dataclass(frozen=True, kw_only=True)
class GroupOutcome:
    """
    What the newest LOOKED_AT messages of a group are now; all of them where there are fewer.

    Args:
        failed, ok, cancelled: in that state.
        in_progress: in any other state, the hub has yet to end them.
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
        """Whether none of the group's messages is FAILED or in progress; no where there may be older ones."""
        return 0 < self.total < LOOKED_AT and not self.failed and not self.in_progress


def outcomes_of_groups(group_ids: Collection[int]) -> Mapping[int, GroupOutcome]:
    """Return the outcome of the newest messages of each group, by its id."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    values = {"groups": list(group_ids), "fence": LOOKED_AT}
    for group_id, state, messages in statements.rows("states_of_groups", values):
        counts[group_id][_NAMES.get(state, "in_progress")] += messages
    return {group_id: GroupOutcome(**counts[group_id]) for group_id in group_ids}


_NAMES = {
    MessageState.FAILED: "failed",
    MessageState.OK: "ok",
    MessageState.CANCEL: "cancelled",
    None: "gone",
}


MOST_GROUPS = 200
SAMPLES = 5
# Objects, and what is FAILED still, are those of this many of a group's newest messages.
MOST_OBJECTS = 20
# In the list, what is left is looked up for groups of this many failures together.
EXACT = 10_000


@dataclass(frozen=True, kw_only=True)
class Windows:
    """How often a group failed in the last 1 hour, 3 hours, 24 hours and 7 days."""

    hour: int
    hours_3: int
    day: int
    days_7: int


@dataclass(frozen=True, kw_only=True)
class GroupLine:
    """
    A group with its counts and what the catalogue says of its code, None where it has no such code.

    Args:
        failing_now: how many are FAILED still; for large groups and those far down by the counts of the last
            7 days: at most this many, as other groups of the same service, operation and code are counted
            with it.
        is_quiet: whether none of its messages is left to repair.
    """

    group: FailureGroup
    windows: Windows
    failing_now: int
    is_quiet: bool
    known: ErrorCode | None


@dataclass(frozen=True, kw_only=True)
class Affected:
    """
    An object that failed messages are about; no type is an empty one.

    Args:
        messages: of the group's newest ones, those about it.
        failing_now: how many of them are FAILED still.
        msg_id: the newest of them.
    """

    entity_type: str
    object_id: str
    messages: int
    failing_now: int
    msg_id: int


def failing_groups(*, most: int = MOST_GROUPS, looks_up: bool = True) -> list[GroupLine]:
    """
    Return the groups that failed in the last 7 days, the one that presses most first.

    New and regressed ones with messages that are FAILED still are before all others; then those with more
    failures an hour, of which the last hours weigh more, and with more left to repair.

    Args:
        looks_up: look up what is left of the first groups, as far as EXACT failures reach; the counts tell it
            of the others.
    """
    rows = statements.rows("group_windows", {"most": most})
    groups = FailureGroup.objects.in_bulk([group_id for group_id, *_ in rows])
    catalogue = ErrorCode.objects.in_bulk({group.failed_error_code for group in groups.values()})
    first = _first_groups([groups[group_id] for group_id, *_ in rows]) if looks_up else []
    outcomes = outcomes_of_groups(first) if first else {}
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


def _first_groups(groups: Sequence[FailureGroup]) -> list[int]:
    """Return the first groups that have EXACT failures together: no group has more messages than failures."""
    sums = accumulate(min(group.failures, LOOKED_AT) for group in groups)
    return [group.pk for group, failures in zip(groups, sums, strict=True) if failures <= EXACT]


def _line(
    group: FailureGroup,
    windows: Windows,
    estimate: int,
    *,
    outcome: GroupOutcome | None,
    counted_at: datetime | None,
    known: ErrorCode | None,
) -> GroupLine:
    """Return a group's line: by what its messages are, where that was looked up, else by the counts."""
    if outcome is not None and 0 < outcome.total < LOOKED_AT:
        failing_now, is_quiet = outcome.failed, outcome.is_repaired
    else:
        is_counted = counted_at is not None and group.last_seen < counted_at
        failing_now, is_quiet = estimate, is_counted and not estimate
    return GroupLine(group=group, windows=windows, failing_now=failing_now, is_quiet=is_quiet, known=known)


def pressing_since(since: datetime, *, most: int = MOST_GROUPS) -> list[FailureGroup]:
    """Return the groups that became new or regressed since a time, the last one first."""
    groups = FailureGroup.objects.filter(state__in=PRESSING_STATES, state_at__gte=since)
    return list(groups.order_by("-state_at")[:most])


def failed_since(since: datetime, *, most: int) -> list[FailureGroup]:
    """Return the groups that failed since a time, the one that failed last first."""
    groups = FailureGroup.objects.filter(last_seen__gte=since)
    return list(groups.order_by("-last_seen", "-group_id")[:most])


def samples(group_id: int) -> list[int]:
    """Return the newest messages of a group; each failed so when it failed last."""
    members = FailureMember.objects.filter(group_id=group_id).order_by("-msg_id")
    return list(members.values_list("msg_id", flat=True)[:SAMPLES])


def still_failing(group_id: int) -> tuple[int, int | None]:
    """Return how many of a group's newest LOOKED_AT messages are FAILED now, and the newest of these."""
    values = {"group_id": group_id, "fence": LOOKED_AT}
    messages, newest = statements.only_row("still_failing", values)
    return messages, newest


def affected(group_id: int) -> list[Affected]:
    """Return the objects of a group's newest LOOKED_AT messages, the one with most FAILED now first."""
    values = {"group_id": group_id, "fence": LOOKED_AT, "most": MOST_OBJECTS}
    names = Affected.__annotations__
    return [Affected(**dict(zip(names, row, strict=True))) for row in statements.rows("affected", values)]


def minutes_of(group_ids: Collection[int], since: datetime) -> list[tuple[int, datetime, int]]:
    """Return (group, minute, failures) since a time, in the order of time."""
    counts = FailureMinute.objects.filter(group_id__in=group_ids, minute__gte=since).order_by("minute")
    return list(counts.values_list("group_id", "minute", "failures"))
