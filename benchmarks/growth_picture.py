"""Draw the figures of growth.py: one panel for each kind of address, one line for each address."""

import statistics
from collections.abc import Mapping, Sequence
from io import StringIO

import matplotlib as mpl

mpl.use("svg")

from matplotlib import pyplot as plt

# The beginnings of the addresses of a panel. The first panel that fits has an address.
_PANELS = (
    ("Lists: pages", ("/messages/?",)),
    ("Lists: API", ("/api/v1/messages/?",)),
    (
        "Histograms, counts, search for an id",
        ("/messages/histogram/", "/api/v1/messages/count/", "/messages/find/"),
    ),
    ("One message: pages, parts, API", ("/messages/", "/api/v1/messages/")),
    ("First page, funnels, failures, other calls", ("/",)),
    ("Erasing a subject", ("erase_subject",)),
)
_BUDGETS_MS = {"Erasing a subject": 10_000}
_BUDGET_MS = 40
_MS = (1, 10, 100, 1_000, 10_000)
_GREY, _BLUE, _BROWN = "#64748b", "#1d4ed8", "#b45309"


def draw(known: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """Return an SVG of the medians in milliseconds, by the number of messages; both axes are logarithmic."""
    sizes = sorted(map(int, known))
    plt.rcParams |= {"svg.fonttype": "none", "font.size": 9, "svg.hashsalt": "growth"}
    figure, panels = plt.subplots(2, 3, figsize=(12, 7), layout="constrained", sharey=True)
    for panel, (title, _) in zip(panels.flat, _PANELS, strict=True):
        lines = [_line(known, sizes, name) for name in known[str(sizes[-1])] if _title_of(name) == title]
        for line in lines:
            panel.plot(sizes, line, color=_GREY, alpha=0.4, linewidth=0.9)
        middle = [statistics.median(values) for values in zip(*lines, strict=True)]
        panel.plot(sizes, middle, color=_BLUE, linewidth=2.2, marker="o", label="median of the lines")
        budget = _BUDGETS_MS.get(title, _BUDGET_MS)
        panel.axhline(budget, color=_BROWN, linewidth=1, linestyle="--", label=f"budget, {budget:,} ms")
        panel.set(title=title, xscale="log", yscale="log", xlabel="messages", ylabel="milliseconds")
        panel.set_xticks(sizes, [_short(size) for size in sizes], minor=False)
        panel.set_xticks([], minor=True)
        panel.set_yticks(_MS, [f"{ms:,}" for ms in _MS], minor=False)
        panel.legend(frameon=False, loc="upper left")
    panels[0, 0].set_ylim(1, 30_000)
    drawn = StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    plt.close(figure)
    return drawn.getvalue()


def _short(size: int) -> str:
    return f"{size // 1_000_000}M" if size >= 1_000_000 else f"{size // 1_000}k"


def _title_of(name: str) -> str:
    return next(title for title, beginnings in _PANELS if name.startswith(beginnings))


def _line(known: Mapping[str, Mapping[str, Sequence[float]]], sizes: list[int], name: str) -> list[float]:
    return [statistics.median(known[str(size)].get(name) or [float("nan")]) for size in sizes]
