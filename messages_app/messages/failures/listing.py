"""
The list of failure groups that failed in the last days or have failing messages, most urgent first.

The page, the first page and the API show this list.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from messages_app.core.statements import Statements
from messages_app.messages.failures.models import PRESSING_STATES, ErrorCode, FailureGroup, GroupState
from messages_app.messages.failures.selectors import MAX_GROUPS, systems_of_groups
from messages_app.messages.metrics.failing import FailingNow

statements = Statements("messages_app.messages.failures")

# In hours.
_WINDOWS = (1, 3, 24, 7 * 24)
# The last hour has this many times the mean of the last three.
_GROWTH, _MIN_GROWING = 1.5, 3

MAX_TEXT, MAX_SERVICE = 200, 100

URGENCY = "urgency"
# The orders of the list, in words.
ORDERS: Mapping[str, str] = {
    URGENCY: "most urgent first",
    "-failing_now": "most failing messages first",
    "-hour": "most failures in 1 h first",
    "-day": "most failures in 24 h first",
    "-days_7": "most failures in 7 d first",
    "-last_seen": "latest failure first",
    "service_name": "by service",
    "owner": "by owner",
}


@dataclass(frozen=True, kw_only=True)
class Windows:
    """The failures of a group in the last hour, 3 hours, 24 hours and 7 days."""

    hour: int
    hours_3: int
    day: int
    days_7: int


def sum_windows(minutes: Iterable[tuple[datetime, int]], *, now: datetime) -> Windows:
    """Return the failures in each window, of (minute, failures)."""
    sums = [0] * len(_WINDOWS)
    for minute, failures in minutes:
        for number, hours in enumerate(_WINDOWS):
            sums[number] += failures if minute >= now - timedelta(hours=hours) else 0
    hour, hours_3, day, days_7 = sums
    return Windows(hour=hour, hours_3=hours_3, day=day, days_7=days_7)


@dataclass(frozen=True, kw_only=True)
class GroupLine:
    """
    A group in the list, with its counts.

    Args:
        failing_now: the number of its messages that are failing now (metrics/failing.py).
        is_exact: whether this number is exact, and not an estimate.
        error_code: the catalogue entry of its error code, if there is one.
        systems: the external systems that its failures name.
    """

    group: FailureGroup
    windows: Windows
    failing_now: int
    is_exact: bool
    error_code: ErrorCode | None
    systems: Sequence[str] = ()

    @property
    def is_settled(self) -> bool:
        """Whether none of its messages is failing."""
        return not self.failing_now

    @property
    def is_quiet(self) -> bool:
        """Whether nothing new failed for a day, however many of its messages are failing."""
        return not self.windows.day

    @property
    def is_growing(self) -> bool:
        """Whether clearly more failed in the last hour than in the two hours before, on average."""
        windows = self.windows
        return windows.hour >= _MIN_GROWING and 3 * windows.hour > windows.hours_3 * _GROWTH

    @property
    def is_urgent(self) -> bool:
        """Whether it fails, and is growing, or new and without an owner. Only urgent groups are red."""
        if self.is_settled or self.is_quiet or self.group.state == GroupState.SNOOZED:
            return False
        return self.is_growing or (self.group.state in PRESSING_STATES and not self.group.owner)

    @property
    def words(self) -> str:
        """Its state in words."""
        if self.group.state not in PRESSING_STATES:
            return self.group.state
        if self.is_settled:
            return "none failing"
        return "quiet" if self.is_quiet else self.group.state


@dataclass(frozen=True, kw_only=True)
class GroupQuery:
    """
    The groups that a list shows. None: any.

    Args:
        is_failing: whether messages of the group are failing.
        presses: whether someone has to review the group.
        owner: empty: no one.
        text: a part of the cause, the code, the names, the systems or the ticket.
        ordering: a name of ORDERS.
    """

    is_failing: bool | None = None
    presses: bool | None = None
    owner: str | None = None
    service_name: str | None = None
    external_system: str | None = None
    text: str | None = None
    ordering: str = URGENCY
    most: int = MAX_GROUPS


@dataclass(frozen=True, kw_only=True)
class GroupList:
    """
    Groups, with numbers of groups.

    Args:
        lines: the first groups that match the query.
        matches: groups that match the query.
        open: groups with failing messages, whatever the query.
        unreviewed: groups with failing messages that someone has to review.
        groups: groups that failed in the last 7 days or have failing messages.
    """

    lines: Sequence[GroupLine]
    matches: int
    open: int
    unreviewed: int
    groups: int


def failing_groups(failing: FailingNow, *, most: int = MAX_GROUPS) -> Sequence[GroupLine]:
    """
    Return the groups that failed in the last 7 days or have failing messages, most urgent first.

    New and regressed groups with failing messages come first. Then groups are sorted by failures per hour,
    with more weight on the last hours, and by the share of failures that is not repaired.
    """
    return find_groups(failing, GroupQuery(most=most)).lines


def find_groups(failing: FailingNow, query: GroupQuery) -> GroupList:
    """Return the groups that a query finds among those of `failing_groups()`."""
    rows = statements.fetch_rows("group_windows", {**asdict(query), **_columns_of(failing)})
    open_groups, unreviewed, groups, matches, *_ = rows[0]
    # If the query finds none, one row has only the numbers of all groups.
    lines = _read_lines([columns for _, _, _, number, *columns in rows if number], failing)
    return GroupList(
        lines=lines, matches=matches or 0, open=open_groups, unreviewed=unreviewed, groups=groups
    )


def _read_lines(rows: Sequence[Sequence[int]], failing: FailingNow) -> list[GroupLine]:
    groups = FailureGroup.objects.in_bulk([group_id for group_id, *_ in rows])
    catalogue = ErrorCode.objects.in_bulk({group.failed_error_code for group in groups.values()})
    systems = systems_of_groups(groups)
    return [
        GroupLine(
            group=groups[group_id],
            windows=Windows(hour=hour, hours_3=hours_3, day=day, days_7=days_7),
            failing_now=failing_now,
            is_exact=failing.is_by_group or not failing_now,
            error_code=catalogue.get(groups[group_id].failed_error_code),
            systems=systems.get(group_id, []),
        )
        for group_id, hour, hours_3, day, days_7, failing_now in rows
    ]


def _columns_of(failing: FailingNow) -> dict[str, list[object]]:
    """Return the arguments of group_windows.sql: one list for each column."""
    services, operations, codes = zip(*failing.kinds, strict=True) if failing.kinds else ((), (), ())
    return {
        "groups": list(failing.groups),
        "messages": [group.messages for group in failing.groups.values()],
        "services": list(services),
        "operations": list(operations),
        "codes": list(codes),
        "of_kinds": list(failing.kinds.values()),
    }
