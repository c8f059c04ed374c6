"""The chart of the traffic: changes into each state over time, a week before, and the starts of bulk jobs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypedDict

from django.utils import timezone

from messages_app.core.charts.scale import TimeScale
from messages_app.shared.message_states import MessageState

COLUMN, HEIGHT = 10, 120
_GAP = 1.5
# A single failure must be visible next to thousands of successes.
_MIN_SLICES = 3
# From the bottom up: failures at the baseline, where they are easy to compare.
STATES = (MessageState.FAILED, MessageState.PARTLY_FAILED, MessageState.OK)


@dataclass(frozen=True, kw_only=True)
class Column:
    """One time slice: `counts` in the order of STATES, `label` is its start in words."""

    label: str
    x: int
    counts: list[int]

    @property
    def title(self) -> str:
        """How often each state was entered in this slice."""
        entered = zip(self.counts, STATES, strict=True)
        return f"{self.label}: " + ", ".join(f"{count} {state}" for count, state in entered if count)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A bulk job that started at this time."""

    job_id: int
    kind: str
    at: datetime
    x: float


@dataclass(frozen=True, kw_only=True)
class Flow:
    """
    The chart; lengths are in units of the SVG's grid.

    Args:
        shapes: one path with all bars of a state, by state, because the page is requested every 15 s.
        week_before: the path of a line, the sum of all states in the same slices a week before; empty
            without counts of that time.
    """

    columns: list[Column]
    shapes: Mapping[str, str]
    width: int
    scale: TimeScale
    week_before: str = ""
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
    """How often a state was entered in a time slice."""

    at: datetime
    state: str
    count: int


class StartedJob(TypedDict):
    """A bulk job with its start."""

    job_id: int
    kind: str
    state: str
    started_at: datetime
    finished_at: datetime | None


class EnteredBefore(TypedDict):
    """How often the states of the chart were entered in a slice a week before `at`."""

    at: datetime
    count: float


class FlowContent(TypedDict):
    """The content of the tile `flow`."""

    start: datetime
    end: datetime
    slice_seconds: float
    slices: Sequence[Entered]
    week_before: Sequence[EnteredBefore]
    jobs: Sequence[StartedJob]


def draw_flow(content: FlowContent) -> Flow:
    """Return the chart of the tile `flow` (tiles.py)."""
    start, end = content["start"], content["end"]
    width = timedelta(seconds=content["slice_seconds"])
    counts: dict[datetime, dict[str, int]] = defaultdict(dict)
    for one in content["slices"]:
        if one["state"] in STATES:
            counts[one["at"]][one["state"]] = one["count"]
    before = content["week_before"]
    sums = [*(sum(by_state.values()) for by_state in counts.values()), *(one["count"] for one in before)]
    highest = max(sums, default=0)
    slices = 1 + (end - start) // width
    columns = [_make_column(at, (at - start) // width, counts[at]) for at in sorted(counts)]
    return Flow(
        columns=columns,
        shapes=_draw_shapes(columns, highest),
        width=COLUMN * slices,
        scale=TimeScale(start=start, stop=start + slices * width, highest=highest),
        week_before=_draw_line(before, start, width, highest),
        marks=list(_mark_jobs(content["jobs"], start, width)),
    )


def _make_column(at: datetime, place: int, by_state: Mapping[str, int]) -> Column:
    local = timezone.localtime(at)
    counts = [by_state.get(state, 0) for state in STATES]
    return Column(label=f"{local:%Y-%m-%d %H:%M} {local.tzname()}", x=place * COLUMN, counts=counts)


def _draw_shapes(columns: Iterable[Column], highest: float) -> dict[str, str]:
    shapes: dict[str, list[str]] = defaultdict(list)
    for column in columns:
        for state, bar in _stack_bars(column, highest):
            shapes[state].append(bar)
    return {state: " ".join(bars) for state, bars in shapes.items()}


def _stack_bars(column: Column, highest: float) -> Iterator[tuple[str, str]]:
    """Yield states with their stacked bars."""
    width, ground = COLUMN - _GAP, float(HEIGHT)
    for state, count in zip(STATES, column.counts, strict=True):
        if count:
            height = min(max(HEIGHT * count / highest, _MIN_SLICES), ground)
            ground -= height
            yield state, f"M{column.x} {ground:g}h{width:g}v{height:g}h-{width:g}z"


def _draw_line(before: Iterable[EnteredBefore], start: datetime, width: timedelta, highest: float) -> str:
    """Return a line through the middles of slices, empty if it would be at the ground everywhere."""
    points = []
    for one in before:
        middle = COLUMN * ((one["at"] - start) / width) + COLUMN / 2
        points.append((middle, HEIGHT - HEIGHT * one["count"] / max(highest, 1)))
    if not any(y < HEIGHT for _, y in points):
        return ""
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points)


def _mark_jobs(jobs: Iterable[StartedJob], start: datetime, width: timedelta) -> Iterable[Mark]:
    for job in jobs:
        x = round(COLUMN * ((job["started_at"] - start) / width), 2)
        yield Mark(job_id=job["job_id"], kind=job["kind"], at=job["started_at"], x=x)
