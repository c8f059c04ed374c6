"""Bars: the parts of one whole beside each other, and small bars beside counts."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Share:
    """One part of a bar: `start` and `width` in percent of the whole."""

    name: str
    count: int
    start: float
    width: float


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A count with a bar beside it: `width` in percent of the largest; `query` leads to what was counted."""

    label: str
    count: int
    width: float
    query: str = ""


def shares(counts: Iterable[tuple[str, int]], *, whole: int) -> list[Share]:
    """Return one part after the other, each as wide as its share of `whole`, which is not 0."""
    found, start = [], 0.0
    for name, count in counts:
        width = 100 * count / whole
        found.append(Share(name=name, count=count, start=round(start, 2), width=round(width, 2)))
        start += width
    return found


def bars(counts: Iterable[tuple[str, int, str]]) -> list[Bar]:
    """Return bars of (label, count, query), in their order."""
    counts = list(counts)
    highest = max((count for _, count, _ in counts), default=0) or 1
    return [
        Bar(label=label, count=count, width=round(100 * count / highest, 2), query=query)
        for label, count, query in counts
    ]
