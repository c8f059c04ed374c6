"""
Writes a drawing as SVG.

Texts stay texts, and nothing has an attribute `style`, which the console's policy refuses. A description in
words lists every arrow.
"""

import math
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from tests.drawings.layout import LINE, NAME_SIZE, TEXT_SIZE, Arrow, Box, Drawing, Point
from tests.drawings.styles import write_styles

_MARGIN = 8
_HEAD, _HEAD_WIDTH = 8, 4
# From the middle of a line to the base of its letters.
_BASE = {NAME_SIZE: 4.6, TEXT_SIZE: 4.2}
_FOLD, _BULGE = 10, 7


def paint_drawing(drawing: Drawing) -> str:
    """Return the file of a drawing."""
    wide, high = (math.ceil(size) + 2 * _MARGIN for size in (drawing.width, drawing.height))
    edges = (_MARGIN, _MARGIN, wide, high)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="c-drawing" width="{wide}" height="{high}"'
        f' viewBox="{-edges[0]} {-edges[1]} {wide} {high}" role="img" aria-labelledby="title description">',
        f'<title id="title">{escape(drawing.title)}</title>',
        f'<desc id="description">{escape(describe_drawing(drawing))}</desc>',
        f"<style>\n{write_styles(box.state for box in drawing.boxes)}\n</style>",
        f'<rect class="c-drawing-paper" x="{-edges[0]}" y="{-edges[1]}" width="{wide}" height="{high}"/>',
        *(_paint_frame(frame) for frame in drawing.frames),
        *(line for arrow in drawing.arrows for line in _paint_arrow(arrow)),
        *(line for frame in drawing.frames for line in _paint_label(frame)),
        *(line for box in drawing.boxes for line in _paint_box(box)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def describe_drawing(drawing: Drawing) -> str:
    """Return the drawing in words: each arrow as a sentence, and the boxes without arrows."""
    names = {box.name: _say(box) for box in (*drawing.boxes, *drawing.frames)}
    sentences = []
    for arrow in drawing.arrows:
        text = f": {' '.join(arrow.lines)}" if arrow.lines else ""
        back = " and back" if len(arrow.tips) == 2 else ""
        sentences.append(f"From {names[arrow.start]} to {names[arrow.end]}{back}{text}.")
    linked = {name for arrow in drawing.arrows for name in (arrow.start, arrow.end)}
    sentences += [f"{_say(box, all_lines=True)}." for box in drawing.boxes if box.name not in linked]
    return " ".join(sentences)


def _say(box: Box, *, all_lines: bool = False) -> str:
    return ", ".join(box.lines) if all_lines else box.lines[0]


def _paint_frame(frame: Box) -> str:
    return f'<g class="c-drawing-frame">{_paint_rectangle(frame, radius=10)}</g>'


def _paint_label(frame: Box) -> Iterator[str]:
    """Yield the name of a frame, which is above the arrows that cross it."""
    yield '<g class="c-drawing-label">'
    yield from _paint_lines(frame)
    yield "</g>"


def _paint_box(box: Box) -> Iterator[str]:
    state = f" data-state={quoteattr(box.state)}" if box.state else ""
    yield f'<g class="c-drawing-box c-drawing-{box.kind}"{state}>'
    if box.kind == "table":
        yield from _paint_cylinder(box)
    elif box.kind == "file":
        yield _paint_page(box)
    else:
        yield _paint_rectangle(box, radius=min(box.height / 2, 17) if box.kind == "state" else 6)
    yield from _paint_lines(box)
    yield "</g>"


def _paint_lines(box: Box) -> Iterator[str]:
    """Yield the lines of a box below one another; the first one is its name."""
    x, y = box.place
    top = y - LINE * len(box.lines) / 2
    for n, line in enumerate(box.lines):
        is_name = n == 0 and box.kind != "note"
        size = NAME_SIZE if is_name else TEXT_SIZE
        name = ' class="c-drawing-name"' if is_name else ""
        base = top + LINE * (n + 0.5) + _BASE[size]
        yield f'<text{name} x="{_write(x)}" y="{_write(base)}">{escape(line)}</text>'


def _paint_rectangle(box: Box, *, radius: float) -> str:
    values = {"x": box.x, "y": box.y, "width": box.width, "height": box.height, "rx": radius}
    return "<rect " + " ".join(f'{name}="{_write(value)}"' for name, value in values.items()) + "/>"


def _paint_cylinder(box: Box) -> Iterator[str]:
    """Yield a body and its upper edge."""
    left, right, top, low = box.x, box.x + box.width, box.y + _BULGE, box.y + box.height - _BULGE
    arc = f"A{_write(box.width / 2)} {_BULGE} 0 0"
    yield (
        f'<path d="M{_write(left)} {_write(top)} {arc} 1 {_write(right)} {_write(top)}'
        f' V{_write(low)} {arc} 1 {_write(left)} {_write(low)} Z"/>'
    )
    yield f'<path d="M{_write(left)} {_write(top)} {arc} 0 {_write(right)} {_write(top)}"/>'


def _paint_page(box: Box) -> str:
    """Return a sheet with a folded corner."""
    left, right, top, low = box.x, box.x + box.width, box.y, box.y + box.height
    corner = right - _FOLD
    return (
        f'<path d="M{_write(left)} {_write(top)} H{_write(corner)} L{_write(right)} {_write(top + _FOLD)}'
        f" V{_write(low)} H{_write(left)} Z M{_write(corner)} {_write(top)} V{_write(top + _FOLD)}"
        f' H{_write(right)}"/>'
    )


def _paint_arrow(arrow: Arrow) -> Iterator[str]:
    kind = f" c-drawing-{arrow.kind}" if arrow.kind else ""
    yield f'<g class="c-drawing-arrow{kind}">'
    first, *others = arrow.curve
    heads = [(back, _head_of(back, tip)) for back, tip in arrow.tips]
    # A curve of Graphviz ends a little before its head.
    joints = "".join(f" M{_join(back)} L{_join(head[3])}" for back, head in heads)
    yield f'<path d="M{_join(first)} C{" ".join(_join(point) for point in others)}{joints}"/>'
    for _, head in heads:
        yield f'<polygon points="{" ".join(_join(point) for point in head[:3])}"/>'
    if arrow.place:
        x, y = arrow.place
        top = y - LINE * len(arrow.lines) / 2
        for n, line in enumerate(arrow.lines):
            base = top + LINE * (n + 0.5) + _BASE[TEXT_SIZE]
            yield f'<text x="{_write(x)}" y="{_write(base)}">{escape(line)}</text>'
    yield "</g>"


def _head_of(back: Point, tip: Point) -> list[Point]:
    """Return the corners of a head that points from one place to another, and the middle of its base."""
    across, down = tip[0] - back[0], tip[1] - back[1]
    length = math.hypot(across, down) or 1
    across, down = across / length, down / length
    base = (tip[0] - _HEAD * across, tip[1] - _HEAD * down)
    aside = (-down * _HEAD_WIDTH, across * _HEAD_WIDTH)
    return [(base[0] + aside[0], base[1] + aside[1]), tip, (base[0] - aside[0], base[1] - aside[1]), base]


def _join(point: Point) -> str:
    return f"{_write(point[0])},{_write(point[1])}"


def _write(number: float) -> str:
    return f"{round(number, 1):g}"
