"""Reports on groups of failures: what the first page, the handover and the API show."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from messages_app.messages.failing.models import ErrorCode, FailureGroup, FailureMember, FailureMinute
from messages_app.messages.failing.sending import sender
from messages_app.messages.failing.states import PRESSING_STATES

MOST_GROUPS = 200
SAMPLES = 5
# Objects, and what is FAILED still, are those of so many of a group's newest messages.
LOOKED_AT, MOST_OBJECTS = 1_000, 20


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
        failing_now: how many of the last 7 days are FAILED still, by the counts: at most so many, as other
            groups of the same service, operation and code are counted with it.
    """

    group: FailureGroup
    windows: Windows
    failing_now: int
    known: ErrorCode | None


@dataclass(frozen=True, kw_only=True)
class Affected:
    """An object that failed messages are about; no type is an empty one. `msg_id` is the newest of them."""

    entity_type: str
    object_id: str
    messages: int
    msg_id: int


def failing_groups(*, most: int = MOST_GROUPS) -> list[GroupLine]:
    """
    Return the groups that failed in the last 7 days, the one that presses most first.

    New and regressed ones with messages that are FAILED still stand before all others; then those with more
    failures an hour, of which the last hours weigh more, and with more left to repair.
    """
    rows = sender.rows_of("group_windows", {"most": most})
    groups = FailureGroup.objects.in_bulk([group_id for group_id, *_ in rows])
    catalogue = ErrorCode.objects.in_bulk({group.failed_error_code for group in groups.values()})
    return [
        GroupLine(
            group=groups[group_id],
            windows=Windows(hour=hour, hours_3=hours_3, day=day, days_7=days_7),
            failing_now=failing_now,
            known=catalogue.get(groups[group_id].failed_error_code),
        )
        for group_id, hour, hours_3, day, days_7, failing_now in rows
    ]


def pressing_since(since: datetime, *, most: int = MOST_GROUPS) -> list[FailureGroup]:
    """Return the groups that became new or regressed since a time, the last one first."""
    groups = FailureGroup.objects.filter(state__in=PRESSING_STATES, state_at__gte=since)
    return list(groups.order_by("-state_at")[:most])


def samples(group_id: int) -> list[int]:
    """Return the newest messages of a group; each failed so when it failed last."""
    members = FailureMember.objects.filter(group_id=group_id).order_by("-msg_id")
    return list(members.values_list("msg_id", flat=True)[:SAMPLES])


def still_failing(group_id: int) -> tuple[int, int | None]:
    """Return how many of a group's newest LOOKED_AT messages are FAILED now, and the newest of these."""
    return sender.row_of("still_failing", {"group_id": group_id, "fence": LOOKED_AT})


def affected(group_id: int) -> list[Affected]:
    """Return the objects of a group's newest LOOKED_AT messages, the one with most of them first."""
    values = {"group_id": group_id, "fence": LOOKED_AT, "most": MOST_OBJECTS}
    names = Affected.__annotations__
    return [Affected(**dict(zip(names, row, strict=True))) for row in sender.rows_of("affected", values)]


def minutes_of(group_ids: Collection[int], since: datetime) -> list[tuple[int, datetime, int]]:
    """Return (group, minute, failures) since a time, in the order of time."""
    counts = FailureMinute.objects.filter(group_id__in=group_ids, minute__gte=since).order_by("minute")
    return list(counts.values_list("group_id", "minute", "failures"))
