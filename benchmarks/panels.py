"""
Draw small panels with logarithmic heights as one SVG. It has its own background, so that it can be read on
light and dark pages, and texts for screen readers. The same panels give the same bytes on every machine.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

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
.thin { fill: none; stroke: #64748b; stroke-width: 0.9; opacity: 0.4 }
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
  .thin { stroke: #94a3b8 }
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
    One line with marks and the value of its last one, thin lines behind it, and a dashed limit with its name.

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
    thin: Sequence[Sequence[Mark]] = ()
    is_short: bool = False


def draw(
    panels: Sequence[Panel], *, columns: int, size: tuple[int, int], title: str, description: str, legend: str
) -> str:
    """Return an SVG of panels of this size in pixels, row by row."""
    wide, high = size
    rows = math.ceil(len(panels) / columns)
    width, height = columns * (wide + _GAP) + _GAP, _HEAD + rows * (high + _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img" aria-labelledby="title description">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="description">{escape(description)}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect class="ground" width="{width}" height="{height}"/>',
        f'<text x="{_GAP}" y="18">{escape(legend)}</text>',
    ]
    for number, panel in enumerate(panels):
        row, column = divmod(number, columns)
        x, y = _GAP + column * (wide + _GAP), _HEAD + row * (high + _GAP)
        parts.append(f'<g transform="translate({x} {y})">')
        parts += _panel(panel, wide=wide, high=high)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def ticks(lowest: float, highest: float) -> list[float]:
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


def _panel(panel: Panel, *, wide: int, high: int) -> Iterator[str]:
    right, bottom = wide - _RIGHT, high - _BOTTOM

    def across(place: float) -> float:
        return round(_LEFT + place * (right - _LEFT), 1)

    def up(value: float) -> float:
        part = math.log(value / panel.lowest) / math.log(panel.highest / panel.lowest)
        return round(bottom - part * (bottom - _TOP), 1)

    def path(marks: Sequence[Mark]) -> str:
        return " ".join(f"{across(mark.place)},{up(mark.value)}" for mark in marks)

    yield f"<title>{escape(panel.summary)}</title>"
    yield f'<text class="title" x="0" y="13">{escape(panel.title)}</text>'
    named = f'<tspan class="named" dx="8">{escape(panel.limit[1])}</tspan>' if panel.limit else ""
    yield f'<text x="0" y="28">{escape(panel.measure)}{named}</text>'
    for value in ticks(panel.lowest, panel.highest):
        yield f'<path class="rule" d="M{_LEFT} {up(value)}H{right}"/>'
        name = short_number(value)
        yield f'<text x="{_LEFT - 5}" y="{up(value) + 3.5:.1f}" text-anchor="end">{name}</text>'
    yield f'<rect class="frame" x="{_LEFT}" y="{_TOP}" width="{right - _LEFT}" height="{bottom - _TOP}"/>'
    for place, name in panel.places:
        yield f'<text x="{across(place)}" y="{bottom + 14}" text-anchor="middle">{escape(name)}</text>'
    for line in panel.thin:
        yield f'<polyline class="thin" points="{path(line)}"/>'
    if panel.limit:
        yield f'<path class="limit" d="M{_LEFT} {up(panel.limit[0])}H{right}"/>'
    yield f'<polyline class="line" points="{path(panel.marks)}"/>'
    for mark in panel.marks:
        is_hollow = panel.is_short and mark is panel.marks[-1]
        yield (
            f'<circle class="mark{" short" if is_hollow else ""}" cx="{across(mark.place)}"'
            f' cy="{up(mark.value)}" r="3"><title>{escape(mark.text)}</title></circle>'
        )
    last = panel.marks[-1]
    yield (
        f'<text class="last" x="{across(last.place) + 7:.1f}" y="{up(last.value) + 3.5:.1f}">'
        f"{short_number(last.value)}</text>"
    )
