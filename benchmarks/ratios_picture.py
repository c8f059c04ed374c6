"""
Draw the history of the ratios of docs/contributing/benchmarks.md, one panel for each work and its peer.

`python -m benchmarks.ratios_picture` reads benchmarks/ratios.toml and writes docs/contributing/ratios.svg.
"""

import datetime
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.panels import Mark, Panel, draw, short_number

_ROOT = Path(__file__).parent.parent
_FIGURES = Path(__file__).parent / "ratios.toml"
PICTURE = _ROOT / "docs/contributing/ratios.svg"

_DESCRIPTION = (
    "One panel for each work and its peer, with all figures from the oldest to the newest on a logarithmic"
    " axis, and the goal as a dashed line. Higher is better."
)
_LEGEND = (
    "Higher is better; logarithmic axes; figures from the oldest to the newest. The last figure: ●"
    " reaches its goal, ○ does not."
)


@dataclass(frozen=True, kw_only=True)
class Figure:
    day: datetime.date
    value: float
    note: str


@dataclass(frozen=True, kw_only=True)
class Work:
    """A measured work in one unit, with its goal, if it has one, and its figures from the oldest."""

    name: str
    measure: str
    goal: float | None
    figures: Sequence[Figure]


def read(text: str) -> list[Work]:
    """
    Return the works of a TOML file of figures.

    Raises:
        ValueError: a work has no figures, figures out of order, or one that is not above 0.
    """
    return [_work(panel) for panel in tomllib.loads(text)["panel"]]


def picture(works: Sequence[Work]) -> str:
    """Return the SVG."""
    return draw(
        [_panel(work) for work in works],
        columns=4,
        size=(212, 150),
        title="The history of the ratios to peers",
        description=_DESCRIPTION,
        legend=_LEGEND,
    )


def _work(panel: dict) -> Work:
    figures = [
        Figure(day=datetime.date.fromisoformat(day), value=value, note=note)
        for day, value, note in panel["figures"]
    ]
    days = [figure.day for figure in figures]
    if not figures or days != sorted(days) or min(figure.value for figure in figures) <= 0:
        raise ValueError(f"Figures of {panel['work']} are missing, out of order or not above 0.")
    return Work(name=panel["work"], measure=panel["measure"], goal=panel.get("goal"), figures=figures)


def _panel(work: Work) -> Panel:
    values = [figure.value for figure in work.figures]
    all_values = [*values, work.goal] if work.goal else values
    return Panel(
        title=work.name,
        measure=work.measure,
        marks=_marks(work.figures),
        limit=(work.goal, f"goal {short_number(work.goal)}") if work.goal else None,
        places=_days(work.figures),
        lowest=min(all_values) / 1.5,
        highest=max(all_values) * 1.5,
        summary=_summary(work),
        is_short=work.goal is not None and values[-1] < work.goal,
    )


def _marks(figures: Sequence[Figure]) -> list[Mark]:
    """Place figures at equal distances: several are of the same day."""
    if len(figures) == 1:
        return [Mark(place=0.5, value=figures[0].value, text=_told(figures[0]))]
    between = len(figures) - 1
    return [
        Mark(place=0.04 + 0.92 * number / between, value=figure.value, text=_told(figure))
        for number, figure in enumerate(figures)
    ]


def _days(figures: Sequence[Figure]) -> list[tuple[float, str]]:
    first, last = figures[0].day.isoformat(), figures[-1].day.isoformat()
    return [(0.5, first)] if first == last else [(0.18, first), (0.86, last)]


def _told(figure: Figure) -> str:
    return f"{short_number(figure.value)}, {figure.day.isoformat()}: {figure.note}"


def _summary(work: Work) -> str:
    values = ", ".join(short_number(figure.value) for figure in work.figures)
    goal = f" Goal: {short_number(work.goal)}." if work.goal else ""
    return f"{work.name}, {work.measure}: {values}.{goal}"


if __name__ == "__main__":
    PICTURE.write_text(picture(read(_FIGURES.read_text())))
