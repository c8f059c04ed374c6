"""
Draw the history of the ratios of docs/contributing/benchmarks.md, one panel for each work and its peer.

`python -m benchmarks.ratios_picture` reads benchmarks/ratios.toml and writes docs/contributing/ratios.svg.
The picture has its own background, so that it can be read on light and dark pages, and texts for screen
readers.
"""

import datetime
import math
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

_ROOT = Path(__file__).parent.parent
_FIGURES = Path(__file__).parent / "ratios.toml"
PICTURE = _ROOT / "docs/contributing/ratios.svg"

_TITLE = "The history of the ratios to peers"
_DESCRIPTION = (
    "One panel for each work and its peer, with all figures from the oldest to the newest on a logarithmic"
    " axis, and the goal as a dashed line. Higher is better."
)
_LEGEND = (
    "Higher is better; logarithmic axes; figures from the oldest to the newest. The last figure: ●"
    " reaches its goal, ○ does not."
)

_COLUMNS, _WIDE, _HIGH = 4, 212, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 34, 42, 24
_GAP = 12
# Room above the panels, for the line that explains them.
_HEAD = 28

_STYLE = """
svg { color-scheme: light dark; font-family: 'DejaVu Sans', Verdana, Arial, sans-serif; font-size: 10px }
.ground { fill: #ffffff }
text { fill: #334155 }
.title { fill: #0f172a; font-size: 12px; font-weight: bold }
.frame { fill: none; stroke: #cbd5e1 }
.rule { stroke: #e2e8f0 }
.line { fill: none; stroke: #1d4ed8; stroke-width: 2 }
.mark { fill: #1d4ed8; stroke: #1d4ed8; stroke-width: 1.5 }
.short { fill: #ffffff }
.last { fill: #1d4ed8; font-weight: bold }
.limit { stroke: #b45309; stroke-dasharray: 5 3 }
.named { fill: #b45309 }
@media (prefers-color-scheme: dark) {
  .ground, .short { fill: #0f172a }
  text { fill: #cbd5e1 }
  .title { fill: #f8fafc }
  .frame { stroke: #475569 }
  .rule { stroke: #1e293b }
  .line, .mark { stroke: #93c5fd }
  .mark:not(.short), .last { fill: #93c5fd }
  .limit { stroke: #fbbf24 }
  .named { fill: #fbbf24 }
}
"""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A value of a line. `place` is its part of the width, 0 to 1; `text` says more about it."""

    place: float
    value: float
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """
    One line with marks and the value of its last one, and a dashed limit with its name.

    `places` are the labels below the panel by their part of the width. `lowest` and `highest` are the ends of
    the axis. The last mark is hollow if it `is_short` of the limit.
    """

    title: str
    measure: str
    marks: Sequence[Mark]
    limit: tuple[float, str] | None
    places: Sequence[tuple[float, str]]
    lowest: float
    highest: float
    summary: str
    is_short: bool = False


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


def read_works(text: str) -> list[Work]:
    """
    Return the works of a TOML file of figures.

    Raises:
        ValueError: a work has no figures, figures out of order, or one that is not above 0.
    """
    return [_work_of(panel) for panel in tomllib.loads(text)["panel"]]


def draw_picture(works: Sequence[Work]) -> str:
    """Return the SVG. The same figures give the same bytes on every machine."""
    return draw_panels([_panel_of(work) for work in works])


def _work_of(panel: dict) -> Work:
    figures = [
        Figure(day=datetime.date.fromisoformat(day), value=value, note=note)
        for day, value, note in panel["figures"]
    ]
    days = [figure.day for figure in figures]
    if not figures or days != sorted(days) or min(figure.value for figure in figures) <= 0:
        raise ValueError(f"Figures of {panel['work']} are missing, out of order or not above 0.")
    return Work(name=panel["work"], measure=panel["measure"], goal=panel.get("goal"), figures=figures)


def _panel_of(work: Work) -> Panel:
    values = [figure.value for figure in work.figures]
    all_values = [*values, work.goal] if work.goal else values
    return Panel(
        title=work.name,
        measure=work.measure,
        marks=_place_marks(work.figures),
        limit=(work.goal, f"goal {short_number(work.goal)}") if work.goal else None,
        places=_name_days(work.figures),
        lowest=min(all_values) / 1.5,
        highest=max(all_values) * 1.5,
        summary=_summarize_work(work),
        is_short=work.goal is not None and values[-1] < work.goal,
    )


def _place_marks(figures: Sequence[Figure]) -> list[Mark]:
    """Place figures at equal distances: several are of the same day."""
    if len(figures) == 1:
        return [Mark(place=0.5, value=figures[0].value, text=_describe_figure(figures[0]))]
    between = len(figures) - 1
    return [
        Mark(place=0.04 + 0.92 * number / between, value=figure.value, text=_describe_figure(figure))
        for number, figure in enumerate(figures)
    ]


def _name_days(figures: Sequence[Figure]) -> list[tuple[float, str]]:
    first, last = figures[0].day.isoformat(), figures[-1].day.isoformat()
    return [(0.5, first)] if first == last else [(0.18, first), (0.86, last)]


def _describe_figure(figure: Figure) -> str:
    return f"{short_number(figure.value)}, {figure.day.isoformat()}: {figure.note}"


def _summarize_work(work: Work) -> str:
    values = ", ".join(short_number(figure.value) for figure in work.figures)
    goal = f" Goal: {short_number(work.goal)}." if work.goal else ""
    return f"{work.name}, {work.measure}: {values}.{goal}"


def draw_panels(panels: Sequence[Panel]) -> str:
    """Return an SVG of the panels, row by row."""
    rows = math.ceil(len(panels) / _COLUMNS)
    width, height = _COLUMNS * (_WIDE + _GAP) + _GAP, _HEAD + rows * (_HIGH + _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img" aria-labelledby="title description">',
        f'<title id="title">{_TITLE}</title>',
        f'<desc id="description">{_DESCRIPTION}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect class="ground" width="{width}" height="{height}"/>',
        f'<text x="{_GAP}" y="18">{_LEGEND}</text>',
    ]
    for number, panel in enumerate(panels):
        row, column = divmod(number, _COLUMNS)
        x, y = _GAP + column * (_WIDE + _GAP), _HEAD + row * (_HIGH + _GAP)
        parts.append(f'<g transform="translate({x} {y})">')
        parts += _draw_panel(panel)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def axis_values(lowest: float, highest: float) -> list[float]:
    """Return up to five round values between the ends of a logarithmic axis."""
    powers = range(math.floor(math.log10(lowest)), math.ceil(math.log10(highest)) + 1)
    for steps in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)):
        inside = [step * 10.0**power for power in powers for step in steps]
        inside = [value for value in inside if lowest <= value <= highest]
        if len(inside) > 1:
            return inside[:: math.ceil(len(inside) / 5)]
    return inside


def short_number(value: float) -> str:
    """Return three significant digits, with commas between thousands."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _draw_panel(panel: Panel) -> Iterator[str]:
    right, bottom = _WIDE - _RIGHT, _HIGH - _BOTTOM

    def place_across(place: float) -> float:
        return round(_LEFT + place * (right - _LEFT), 1)

    def place_up(value: float) -> float:
        part = math.log(value / panel.lowest) / math.log(panel.highest / panel.lowest)
        return round(bottom - part * (bottom - _TOP), 1)

    def draw_path(marks: Sequence[Mark]) -> str:
        return " ".join(f"{place_across(mark.place)},{place_up(mark.value)}" for mark in marks)

    yield f"<title>{escape(panel.summary)}</title>"
    yield f'<text class="title" x="0" y="13">{escape(panel.title)}</text>'
    named = f'<tspan class="named" dx="8">{escape(panel.limit[1])}</tspan>' if panel.limit else ""
    yield f'<text x="0" y="28">{escape(panel.measure)}{named}</text>'
    for value in axis_values(panel.lowest, panel.highest):
        yield f'<path class="rule" d="M{_LEFT} {place_up(value)}H{right}"/>'
        name = short_number(value)
        yield f'<text x="{_LEFT - 5}" y="{place_up(value) + 3.5:.1f}" text-anchor="end">{name}</text>'
    yield f'<rect class="frame" x="{_LEFT}" y="{_TOP}" width="{right - _LEFT}" height="{bottom - _TOP}"/>'
    for place, name in panel.places:
        yield f'<text x="{place_across(place)}" y="{bottom + 14}" text-anchor="middle">{escape(name)}</text>'
    if panel.limit:
        yield f'<path class="limit" d="M{_LEFT} {place_up(panel.limit[0])}H{right}"/>'
    yield f'<polyline class="line" points="{draw_path(panel.marks)}"/>'
    for mark in panel.marks:
        is_hollow = panel.is_short and mark is panel.marks[-1]
        yield (
            f'<circle class="mark{" short" if is_hollow else ""}" cx="{place_across(mark.place)}"'
            f' cy="{place_up(mark.value)}" r="3"><title>{escape(mark.text)}</title></circle>'
        )
    last = panel.marks[-1]
    yield (
        f'<text class="last" x="{place_across(last.place) + 7:.1f}" y="{place_up(last.value) + 3.5:.1f}">'
        f"{short_number(last.value)}</text>"
    )


if __name__ == "__main__":
    PICTURE.write_text(draw_picture(read_works(_FIGURES.read_text())))
