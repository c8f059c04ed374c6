"""Draw the figures of growth.py: one panel for each kind of address, one line for each address."""

import math
import statistics
from collections.abc import Mapping, Sequence

from benchmarks.panels import Mark, Panel, draw, short_number

# The beginnings of the addresses of a panel. The first panel that fits has an address.
_PANELS = (
    ("Lists: pages", ("/messages/?",)),
    ("Lists: API", ("/api/v1/messages/?",)),
    (
        "Histograms, counts, search for an id",
        ("/messages/histogram/", "/api/v1/messages/count/", "/messages/find/"),
    ),
    ("One message: pages, parts, API", ("/messages/", "/api/v1/messages/")),
    ("First page, funnels, failures, other", ("/",)),
    ("Erasing a subject", ("erase_subject",)),
)
_BUDGETS_MS = {"Erasing a subject": 10_000}
_BUDGET_MS = 40
_LOWEST_MS, _HIGHEST_MS = 1, 30_000

Figures = Mapping[str, Mapping[str, Sequence[float]]]


def picture(known: Figures) -> str:
    """Return an SVG of the medians in milliseconds, by the number of messages; both axes are logarithmic."""
    return draw(
        [_panel(known, title) for title, _ in _PANELS],
        columns=3,
        size=(290, 240),
        title="Milliseconds by the number of messages",
        description=(
            "Six panels, one for each kind of address, with a thin line for each address, the median of these"
            " lines, and the budget as a dashed line. Both axes are logarithmic. Lower is better."
        ),
        legend="Lower is better; logarithmic axes; thin: one address, thick: the median of the lines.",
    )


def _panel(known: Figures, title: str) -> Panel:
    sizes = sorted(map(int, known))
    names = [name for name in known[str(sizes[-1])] if _title_of(name) == title]
    lines = [_line(known, sizes, name) for name in names]
    middle = [
        Mark(
            place=_place(size, sizes),
            value=statistics.median(
                mark.value for line in lines for mark in line if mark.text == _short(size)
            ),
            text=_short(size),
        )
        for size in sizes
    ]
    budget = _BUDGETS_MS.get(title, _BUDGET_MS)
    values = ", ".join(f"{short_number(mark.value)} with {mark.text}" for mark in middle)
    told = f"{title}, {len(lines)} lines, median milliseconds: {values}."
    return Panel(
        title=title,
        measure="milliseconds, by messages",
        marks=middle,
        limit=(budget, f"budget {short_number(budget)}"),
        places=[(_place(size, sizes), _short(size)) for size in sizes],
        lowest=_LOWEST_MS,
        highest=_HIGHEST_MS,
        summary=f"{told} Budget: {short_number(budget)}.",
        thin=lines,
    )


def _short(size: int) -> str:
    return f"{size // 1_000_000}M" if size >= 1_000_000 else f"{size // 1_000}k"


def _title_of(name: str) -> str:
    return next(title for title, beginnings in _PANELS if name.startswith(beginnings))


def _place(size: int, sizes: Sequence[int]) -> float:
    return 0.04 + 0.92 * math.log(size / sizes[0]) / (math.log(sizes[-1] / sizes[0]) or 1)


def _middle(size: int, sizes: Sequence[int], lines: Sequence[Sequence[Mark]]) -> Mark:
    place = _place(size, sizes)
    values = [mark.value for line in lines for mark in line if mark.place == place]
    return Mark(place=place, value=statistics.median(values), text=_short(size))


def _line(known: Figures, sizes: Sequence[int], name: str) -> list[Mark]:
    """Return the medians of an address. It may be missing at a size."""
    return [
        Mark(place=_place(size, sizes), value=statistics.median(known[str(size)][name]), text=_short(size))
        for size in sizes
        if known[str(size)].get(name)
    ]
