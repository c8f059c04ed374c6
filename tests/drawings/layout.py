"""
Reads a drawing and places its parts.

Graphviz measures no text here: it would do so with the fonts of the machine, and the drawing would differ on
another one. Boxes and texts have sizes that come from the console's own font.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pygraphviz
from PIL import ImageFont

from tests.drawings.sources import ARROWS, KINDS, ROOT

NAME_SIZE, TEXT_SIZE, LINE = 13, 12, 16
# A synthetic bold, and fonts of readers without Inter, are wider.
_WIDER = 1.07
_PADDING = {"state": (14, 7), "table": (14, 11), "note": (4, 4)}
_USUAL_PADDING = (14, 9)
_MIN_WIDTH = 64
# The text of a cylinder is below its upper edge; that of a frame is near its left edge.
_LOWERED, _INSET = 4, 14
_INCH = 72

Point = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Box:
    """
    A box, or a frame around boxes.

    Args:
        x, y: its upper left corner.
        lines: its name, and lines that explain it.
        place: the middle of the lines; for a frame, their left end.
    """

    name: str
    kind: str
    state: str
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    place: Point


@dataclass(frozen=True, kw_only=True)
class Arrow:
    """
    An arrow between two boxes, or between frames around boxes (`ltail`, `lhead`).

    Args:
        curve: the points of Bézier curves.
        tips: where its heads end, each with the point before.
        place: the middle of its text.
    """

    start: str
    end: str
    kind: str
    curve: tuple[Point, ...]
    tips: tuple[tuple[Point, Point], ...]
    lines: tuple[str, ...]
    place: Point | None


@dataclass(frozen=True, kw_only=True)
class Drawing:
    name: str
    title: str
    width: float
    height: float
    frames: tuple[Box, ...]
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


class WrongSource(Exception):
    """A drawing uses a kind of boxes or arrows that does not exist, or lacks its title."""


def arrange_drawing(source: Path) -> Drawing:
    """
    Return the drawing of a file with the places of its parts.

    Raises:
        WrongSource: it has an unknown class, or no title.
    """
    graph = pygraphviz.AGraph(string=source.read_text(encoding="utf-8"))
    title = graph.graph_attr.get("label", "")
    if not title:
        raise WrongSource(f"{source.name}: no label with the title of the drawing")
    graph.graph_attr["label"] = ""
    texts = {node: _prepare_node(node, source) for node in graph.nodes()}
    labels = [_prepare_edge(edge, source) for edge in graph.edges()]
    frames = {frame.name: _prepare_frame(frame) for frame in _frames_of(graph)}
    graph.layout(prog="dot")
    _, _, width, height = _numbers(graph.graph_attr["bb"])
    return Drawing(
        name=source.stem,
        title=title,
        width=width,
        height=height,
        frames=tuple(_place_frame(frame, frames[frame.name], height) for frame in _frames_of(graph)),
        boxes=tuple(_place_node(node, texts[node], height) for node in graph.nodes()),
        arrows=tuple(
            _place_edge(edge, lines, height)
            for edge, lines in zip(graph.edges(), labels, strict=True)
            if edge.attr["style"] != "invis"  # it only places boxes
        ),
    )


def _frames_of(graph: pygraphviz.AGraph) -> list[pygraphviz.AGraph]:
    """Return the frames, each after the one around it."""
    frames: list[pygraphviz.AGraph] = []
    for part in graph.subgraphs():
        frames += [part] if str(part.name).startswith("cluster") else []
        frames += _frames_of(part)
    return frames


def _prepare_node(node: pygraphviz.Node, source: Path) -> tuple[str, ...]:
    """Give a node the size of its text, and return its lines."""
    kind = node.attr["class"] or ""
    if kind not in KINDS:
        raise WrongSource(f"{source.name}: {node} has the class {kind!r}; classes are {', '.join(KINDS)}")
    lines = _lines_of(node.attr["label"] or str(node))
    across, down = _PADDING.get(kind, _USUAL_PADDING)
    width = max(_measure_box(lines) + 2 * across, 0 if kind == "note" else _MIN_WIDTH)
    height = LINE * len(lines) + 2 * down
    node.attr.update(label=" ", shape="box", fixedsize="true")
    node.attr.update(width=f"{_even(width) / _INCH:.4f}", height=f"{_even(height) / _INCH:.4f}")
    return lines


def _prepare_edge(edge: pygraphviz.Edge, source: Path) -> tuple[str, ...]:
    kind = edge.attr["class"] or ""
    if kind not in ARROWS:
        raise WrongSource(f"{source.name}: the arrow {edge} has the class {kind!r}")
    lines = _lines_of(edge.attr["label"] or "")
    if lines:
        width = max(measure_text(line, TEXT_SIZE) for line in lines) + 12
        edge.attr["label"] = _blank(width, LINE * len(lines) + 4)
    return lines


def _prepare_frame(frame: pygraphviz.AGraph) -> tuple[str, ...]:
    lines = _lines_of(frame.graph_attr["label"] or "")
    frame.graph_attr["label"] = _blank(_measure_box(lines) + 8, LINE * len(lines) + 4) if lines else ""
    return lines


def _blank(width: float, height: float) -> str:
    """Return a label without text of a size."""
    borders = 'BORDER="0" CELLBORDER="0" CELLPADDING="0" CELLSPACING="0"'
    size = f'FIXEDSIZE="TRUE" WIDTH="{_even(width)}" HEIGHT="{_even(height)}"'
    return f"<<TABLE {borders}><TR><TD {size}></TD></TR></TABLE>>"


def _lines_of(label: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in label.replace("\\n", "\n").split("\n") if line.strip())


def _measure_box(lines: tuple[str, ...]) -> float:
    sizes = [NAME_SIZE, *[TEXT_SIZE] * len(lines)]
    return max(measure_text(line, size) for line, size in zip(lines, sizes, strict=False))


def measure_text(text: str, size: int) -> float:
    """Return the width of a text in pixels."""
    return float(_font().getlength(text)) / 1000 * size * _WIDER


@lru_cache
def _font() -> ImageFont.FreeTypeFont:
    path = ROOT / "static/vendor/inter/Inter-Regular.woff2"
    # The other engine needs a library of the machine, and measures other widths.
    return ImageFont.truetype(str(path), 1000, layout_engine=ImageFont.Layout.BASIC)


def _even(number: float) -> int:
    return 2 * round(number / 2 + 0.5)


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]


def _place_node(node: pygraphviz.Node, lines: tuple[str, ...], height: float) -> Box:
    x, y = _numbers(node.attr["pos"])
    wide, high = float(node.attr["width"]) * _INCH, float(node.attr["height"]) * _INCH
    return Box(
        name=str(node),
        kind=node.attr["class"],
        state=node.attr["state"] or "",
        x=x - wide / 2,
        y=height - y - high / 2,
        width=wide,
        height=high,
        lines=lines,
        place=(x, height - y + (_LOWERED if node.attr["class"] == "table" else 0)),
    )


def _place_frame(frame: pygraphviz.AGraph, lines: tuple[str, ...], height: float) -> Box:
    left, low, right, high = _numbers(frame.graph_attr["bb"])
    return Box(
        name=str(frame.name),
        kind="frame",
        state="",
        x=left,
        y=height - high,
        width=right - left,
        height=high - low,
        lines=lines,
        place=(left + _INSET, height - _numbers(frame.graph_attr["lp"])[1]),
    )


def _place_edge(edge: pygraphviz.Edge, lines: tuple[str, ...], height: float) -> Arrow:
    tips: dict[str, Point] = {}
    points: list[Point] = []
    for word in edge.attr["pos"].split():
        mark, _, place = word.rpartition(",")[0].rpartition(",") if word[0] in "es" else ("", "", "")
        x, y = (float(number) for number in word.split(",")[-2:])
        if mark:
            tips[mark] = (x, height - y)
        else:
            points.append((x, height - y))
    ends = {"s": points[0], "e": points[-1]}
    start, end = edge.attr["ltail"] or str(edge[0]), edge.attr["lhead"] or str(edge[1])
    if edge.attr["dir"] == "back":
        start, end = end, start
    place = edge.attr["lp"]
    return Arrow(
        start=start,
        end=end,
        kind=edge.attr["class"] or "",
        curve=tuple(points),
        tips=tuple((ends[mark], tip) for mark, tip in tips.items()),
        lines=lines,
        place=(_numbers(place)[0], height - _numbers(place)[1]) if lines and place else None,
    )
