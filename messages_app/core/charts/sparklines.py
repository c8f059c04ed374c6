"""Sparklines: small bars over time, without an axis. Lengths are in units of the SVG's grid."""

from collections.abc import Sequence
from dataclasses import dataclass

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
