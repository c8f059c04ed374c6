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
    ("Erasing a subject, with the start of the command", ("erase_subject",)),
)
_BUDGET_MS = 40


def draw(known: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """Return an SVG of the medians in milliseconds, by the number of messages; both axes are logarithmic."""
    sizes = sorted(known, key=int)
    plt.rcParams |= {"svg.fonttype": "none", "font.size": 9, "svg.hashsalt": "growth"}
    figure, panels = plt.subplots(2, 3, figsize=(12, 7), layout="constrained")
    for panel, (title, _) in zip(panels.flat, _PANELS, strict=True):
        lines = [_line(known, sizes, name) for name in known[sizes[-1]] if _title_of(name) == title]
        for line in lines:
            panel.plot([int(size) for size in sizes], line, color="#64748b", alpha=0.35, linewidth=0.9)
        middle = [statistics.median(values) for values in zip(*lines, strict=True)]
        panel.plot(
            [int(size) for size in sizes], middle, color="#1d4ed8", linewidth=2.2, marker="o", label="median"
        )
        panel.axhline(_BUDGET_MS, color="#b45309", linewidth=1, linestyle="--", label=f"{_BUDGET_MS} ms")
        panel.set(title=title, xscale="log", yscale="log", xlabel="messages", ylabel="ms")
        panel.legend(frameon=False)
    drawn = StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    plt.close(figure)
    return drawn.getvalue()


def _title_of(name: str) -> str:
    return next(title for title, beginnings in _PANELS if name.startswith(beginnings))


def _line(known: Mapping[str, Mapping[str, Sequence[float]]], sizes: list[str], name: str) -> list[float]:
    return [statistics.median(known[size].get(name) or [float("nan")]) for size in sizes]
