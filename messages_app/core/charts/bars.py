"""Bars: the parts of one whole next to each other, bars next to counts, and the lengths of ages."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta


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
