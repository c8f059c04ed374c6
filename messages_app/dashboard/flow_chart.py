"""The flow of messages as a picture: what came into which state, with the starts of bulk jobs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypedDict

from django.contrib.auth.models import User
from django.utils import timezone

from messages_app.dashboard.models import FirstPageVisit
from messages_app.messages.failures.selectors import still_failing
from messages_app.messages.failures.states import PRESSING_STATES
from messages_app.shared.message_states import MessageState

COLUMN, HEIGHT = 10, 120
_GAP = 1.5
# A single failure next to thousands that succeeded must be seen.
_LEAST = 3
# From the ground up: failures where the eye compares them.
STATES = (MessageState.FAILED, MessageState.PARTLY_FAILED, MessageState.OK)


@dataclass(frozen=True, kw_only=True)
class Column:
    """One slice of time: `counts` in the order of STATES, `label` its begin in words."""

    label: str
    x: int
    counts: list[int]

    @property
    def title(self) -> str:
        """What came into which state then."""
        entered = zip(self.counts, STATES, strict=True)
        return f"{self.label}: " + ", ".join(f"{count} {state}" for count, state in entered if count)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A bulk job that began then."""

    job_id: int
    kind: str
    at: datetime
    x: float


@dataclass(frozen=True, kw_only=True)
class Flow:
    """
    The picture; lengths are in the units of the SVG's own grid.

    Args:
        shapes: by state, one path of all its bars: a page that is asked for every 15 s should be short.
    """

    columns: list[Column]
    shapes: Mapping[str, str]
    width: int
    marks: list[Mark] = field(default_factory=list)

    height = HEIGHT
    column_width = COLUMN
    states = STATES

    @property
    def totals(self) -> list[tuple[str, int]]:
        """How often each state was entered, in the order of STATES."""
        return [
            (state, sum(column.counts[place] for column in self.columns))
            for place, state in enumerate(STATES)
        ]


class Entered(TypedDict):
    """How many messages came into a state in a slice of time."""

    at: datetime
    state: str
    count: int


class StartedJob(TypedDict):
    """A bulk job, and when it began."""

    job_id: int
    kind: str
    started_at: datetime


class FlowContent(TypedDict):
    """What the tile `flow` holds."""

    start: datetime
    end: datetime
    slice_seconds: float
    slices: Sequence[Entered]
    jobs: Sequence[StartedJob]


def drawn(content: FlowContent) -> Flow:
    """Return the picture of what the tile `flow` holds (tiles.py)."""
    start, end = content["start"], content["end"]
    width = timedelta(seconds=content["slice_seconds"])
    counts: dict[datetime, dict[str, int]] = defaultdict(dict)
    for one in content["slices"]:
        if one["state"] in STATES:
            counts[one["at"]][one["state"]] = one["count"]
    highest = max((sum(found.values()) for found in counts.values()), default=0)
    columns = [_column(at, (at - start) // width, counts[at]) for at in sorted(counts)]
    return Flow(
        columns=columns,
        shapes=_shapes(columns, highest),
        width=COLUMN * (1 + (end - start) // width),
        marks=list(_marks(content["jobs"], start, width)),
    )


def _column(at: datetime, place: int, found: Mapping[str, int]) -> Column:
    local = timezone.localtime(at)
    counts = [found.get(state, 0) for state in STATES]
    return Column(label=f"{local:%Y-%m-%d %H:%M} {local.tzname()}", x=place * COLUMN, counts=counts)


def _shapes(columns: Iterable[Column], highest: int) -> dict[str, str]:
    shapes: dict[str, list[str]] = defaultdict(list)
    for column in columns:
        for state, bar in _bars(column, highest):
            shapes[state].append(bar)
    return {state: " ".join(bars) for state, bars in shapes.items()}


def _bars(column: Column, highest: int) -> Iterator[tuple[str, str]]:
    """Yield states with their bars, one upon the other."""
    width, ground = COLUMN - _GAP, float(HEIGHT)
    for state, count in zip(STATES, column.counts, strict=True):
        if count:
            height = min(max(HEIGHT * count / highest, _LEAST), ground)
            ground -= height
            yield state, f"M{column.x} {ground:g}h{width:g}v{height:g}h-{width:g}z"


def _marks(jobs: Iterable[StartedJob], start: datetime, width: timedelta) -> Iterable[Mark]:
    for job in jobs:
        x = round(COLUMN * ((job["started_at"] - start) / width), 2)
        yield Mark(job_id=job["job_id"], kind=job["kind"], at=job["started_at"], x=x)


# The strip that leads a new reader: see what broke, open one, repair it.
#
# Source: docs/spec/design.md, "First page".


class PressingGroup(TypedDict):
    """A group of failures as its tile has it, as far as the strip asks."""

    group_id: int
    state: str
    failing_now: bool


class Groups(TypedDict):
    """What the tile `groups` holds."""

    groups: Sequence[PressingGroup]


@dataclass(frozen=True, kw_only=True)
class Guide:
    """
    Where the strip leads.

    Args:
        group: as the tile of groups has it.
        still_failing: how many of its newest messages are FAILED now.
        msg_id: the newest of these.
    """

    group: PressingGroup
    still_failing: int
    msg_id: int


def guide_for(user: User, groups: Iterable[PressingGroup]) -> Guide | None:
    """
    Return the strip for a reader; None who has put it away, and where nothing presses.

    Args:
        groups: the one that presses most first; one whose messages have been repaired is passed by.
    """
    if FirstPageVisit.objects.filter(pk=user.pk, guided_at__isnull=False).exists():
        return None
    for group in groups:
        if group["state"] not in PRESSING_STATES or not group["failing_now"]:
            continue
        count, newest = still_failing(group["group_id"])
        if newest is not None:
            return Guide(group=group, still_failing=count, msg_id=newest)
    return None
