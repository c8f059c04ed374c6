"""The flow of messages as a picture: what came into which state, with the starts of bulk jobs."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from messages_app.messages.states import MessageState

COLUMN, HEIGHT = 10, 120
_GAP = 1.5
# A single failure beside thousands that went through must be seen.
_LEAST = 3
# From the ground up: failures where the eye compares them.
STATES = (MessageState.FAILED, MessageState.PARTLY_FAILED, MessageState.OK)


@dataclass(frozen=True, kw_only=True)
class Bar:
    state: str
    count: int
    y: float
    height: float


@dataclass(frozen=True, kw_only=True)
class Column:
    """One slice of time: `counts` in the order of STATES."""

    at: datetime
    x: float
    bars: list[Bar]
    counts: list[int]


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A bulk job that began then."""

    job_id: int
    kind: str
    at: datetime
    x: float


@dataclass(frozen=True, kw_only=True)
class Flow:
    """The picture; lengths are in the units of the SVG's own grid."""

    columns: list[Column]
    width: int
    highest: int
    marks: list[Mark] = field(default_factory=list)

    height = HEIGHT
    column_width = COLUMN - _GAP
    states = STATES

    @property
    def totals(self) -> list[tuple[str, int]]:
        """How often each state was entered, in the order of STATES."""
        return [
            (state, sum(column.counts[place] for column in self.columns))
            for place, state in enumerate(STATES)
        ]


def drawn(content: Mapping[str, object]) -> Flow:
    """Return the picture of what the tile `flow` holds (tiles.py)."""
    start, end = content["start"], content["end"]
    width = timedelta(seconds=content["slice_seconds"])
    counts: dict[datetime, dict[str, int]] = defaultdict(dict)
    for one in content["slices"]:
        if one["state"] in STATES:
            counts[one["at"]][one["state"]] = one["count"]
    highest = max((sum(found.values()) for found in counts.values()), default=0)
    return Flow(
        columns=[_column(at, (at - start) // width, counts[at], highest) for at in sorted(counts)],
        width=COLUMN * (1 + (end - start) // width),
        highest=highest,
        marks=list(_marks(content["jobs"], start, width)),
    )


def _column(at: datetime, place: int, found: Mapping[str, int], highest: int) -> Column:
    bars, ground = [], float(HEIGHT)
    for state in STATES:
        if count := found.get(state, 0):
            height = min(max(HEIGHT * count / highest, _LEAST), ground)
            ground -= height
            bars.append(Bar(state=state, count=count, y=round(ground, 2), height=round(height, 2)))
    counts = [found.get(state, 0) for state in STATES]
    return Column(at=at, x=place * COLUMN, bars=bars, counts=counts)


def _marks(jobs: Iterable[Mapping[str, object]], start: datetime, width: timedelta) -> Iterable[Mark]:
    for job in jobs:
        x = round(COLUMN * ((job["started_at"] - start) / width), 2)
        yield Mark(job_id=job["job_id"], kind=job["kind"], at=job["started_at"], x=x)
