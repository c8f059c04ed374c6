"""Bars: the parts of one whole next to each other, and small bars next to counts."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


@dataclass(frozen=True, kw_only=True)
class Share:
    """One part of a bar: `start` and `width` in percent of the whole."""

    name: str
    count: int
    start: float
    width: float


@dataclass(frozen=True, kw_only=True)
class Bar:
    """
    A count with a bar next to it. `width` is in percent of the largest count; `query` leads to the counted
    rows.
    """

    label: str
    count: int
    width: float
    query: str = ""


def make_shares(counts: Iterable[tuple[str, int]], *, whole: int) -> list[Share]:
    """Return adjoining parts, each as wide as its share of `whole`, which must not be 0."""
    shares, start = [], 0.0
    for name, count in counts:
        width = 100 * count / whole
        shares.append(Share(name=name, count=count, start=round(start, 2), width=round(width, 2)))
        start += width
    return shares


def make_bars(counts: Iterable[tuple[str, int, str]]) -> list[Bar]:
    """Return bars for (label, count, query), in the same order."""
    counts = list(counts)
    highest = max((count for _, count, _ in counts), default=0) or 1
    return [
        Bar(label=label, count=count, width=round(100 * count / highest, 2), query=query)
        for label, count, query in counts
    ]


# The length of the bars that show ages, in percent.


# The scale is logarithmic, so that both a minute and a week are visible.
_MIN_DRAWN, _MAX_DRAWN = timedelta(seconds=5), timedelta(days=7)


def age_share(age: timedelta) -> int:
    """Return the length of the bar of an age: 0 up to five seconds, 100 from a week on."""
    drawn = max(age, _MIN_DRAWN)
    return _as_percent(math.log(drawn / _MIN_DRAWN) / math.log(_MAX_DRAWN / _MIN_DRAWN))


def life_share(start: datetime, end: datetime | None, now: datetime) -> int | None:
    """Return the percentage of the time from `start` to `end` that has passed; None without an end."""
    if end is None:
        return None
    return _as_percent((now - start) / (end - start)) if start < end else 100


def _as_percent(share: float) -> int:
    return round(100 * min(max(share, 0.0), 1.0))


# A value as a badge: its word, icon and colour.


class Tone(StrEnum):
    """The colours of static/css/tokens.css, each named by a state that has it."""

    GOOD = "done"
    BAD = "failed"
    DOUBTFUL = "paused"
    ACTIVE = "running"
    WAITING = "planned"
    INACTIVE = "stopped"
    NONE = ""


@dataclass(frozen=True)
class Badge:
    """
    One value as a badge.

    Args:
        tone: the colour of tokens.css, by `data-state`.
        title: the meaning, in a sentence.
    """

    tone: str
    icon: str
    text: str
    title: str


# Sparklines: small bars over time, without an axis. Lengths are in units of the SVG's grid.


WIDTH, HEIGHT = 10, 100
_GAP = 2
# A single item among thousands must be visible.
_MIN_POINTS = 6


@dataclass(frozen=True, kw_only=True)
class Stick:
    """One bar. The lowest `marked_height` of it shows the marked items."""

    x: int
    height: float
    marked_height: float

    @property
    def y(self) -> float:
        return HEIGHT - self.height

    @property
    def marked_y(self) -> float:
        return HEIGHT - self.marked_height


@dataclass(frozen=True, kw_only=True)
class Spark:
    """
    The picture.

    Args:
        sticks: the bars of counts that are not 0.
        width: the width of the picture.
        unknown_width: the width at the left edge for which nothing was counted.
        highest: the count of the tallest bar.
    """

    sticks: list[Stick]
    width: int
    unknown_width: int
    highest: int
    bar_width: int = WIDTH - _GAP
    height: int = HEIGHT


def make_sparkline(counts: Sequence[int], *, marked: Sequence[int] = (), unknown: int = 0) -> Spark:
    """
    Return the bars of counts, the oldest first.

    Args:
        marked: the marked part of each count.
        unknown: the number of first counts that are not known.
    """
    highest = max(counts, default=0)
    parts = list(marked) or [0] * len(counts)
    sticks = [
        Stick(
            x=number * WIDTH,
            height=_height_of_bar(count, highest),
            marked_height=_height_of_bar(parts[number], highest),
        )
        for number, count in enumerate(counts)
        if count
    ]
    return Spark(sticks=sticks, width=len(counts) * WIDTH, unknown_width=unknown * WIDTH, highest=highest)


def _height_of_bar(count: int, highest: int) -> float:
    return round(_MIN_POINTS + (HEIGHT - _MIN_POINTS) * count / highest, 1) if count else 0.0
