"""Small bars over time, without an axis: how a count went up and down. Lengths are of the SVG's grid."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 10, 100
_GAP = 2
# One among thousands must be seen.
_LEAST = 6


@dataclass(frozen=True, kw_only=True)
class Stick:
    """One bar from the ground up; `marked_height` of it, at its foot, is of the marked ones."""

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
        sticks: of what is not 0.
        width: of the whole.
        unknown_width: at its left edge, where nothing was counted.
        highest: what the tallest stands for.
    """

    sticks: list[Stick]
    width: int
    unknown_width: int
    highest: int
    bar_width: int = WIDTH - _GAP
    height: int = HEIGHT


def spark(counts: Sequence[int], *, marked: Sequence[int] = (), unknown: int = 0) -> Spark:
    """
    Return the bars of counts, the oldest first.

    Args:
        marked: how many of each count are told apart.
        unknown: so many of the first were not counted.
    """
    highest = max(counts, default=0)
    told = list(marked) or [0] * len(counts)
    sticks = [
        Stick(x=number * WIDTH, height=_height(count, highest), marked_height=_height(told[number], highest))
        for number, count in enumerate(counts)
        if count
    ]
    return Spark(sticks=sticks, width=len(counts) * WIDTH, unknown_width=unknown * WIDTH, highest=highest)


def _height(count: int, highest: int) -> float:
    return round(_LEAST + (HEIGHT - _LEAST) * count / highest, 1) if count else 0.0
