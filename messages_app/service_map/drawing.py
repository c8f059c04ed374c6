"""
The picture of the map: two columns of nodes, and curves between them. Pure functions.

Lengths are pixels downwards, and percent of the distance between the columns across.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from messages_app.service_map.flows import Edge, Node

ROW = 36
# The curves at one node are at most this wide together, and each is at least MIN_WIDTH wide.
_MAX_WIDTH, _MIN_WIDTH = 28.0, 1.5
WIDTH = 100


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A drawn edge: `path` of an SVG, and the width of its stroke."""

    edge: Edge
    path: str
    width: float


@dataclass(frozen=True, kw_only=True)
class Picture:
    services: Sequence[Node]
    systems: Sequence[Node]
    curves: Sequence[Curve]
    height: int

    width = WIDTH


def draw_picture(services: Sequence[Node], systems: Sequence[Node], edges: Iterable[Edge]) -> Picture:
    """Return the picture. The same nodes are always at the same places."""
    height = ROW * max(len(services), len(systems))
    left, right = _place_nodes(services, height), _place_nodes(systems, height)
    ordered = sorted(edges, key=lambda edge: (left[edge.service], right[edge.system]))
    largest = max((node.flow for node in (*services, *systems)), default=0) or 1
    widths = {
        (edge.service, edge.system): max(_MAX_WIDTH * edge.calls / largest, _MIN_WIDTH) for edge in ordered
    }
    starts = _stack_ends([(edge.service, edge) for edge in ordered], widths, left)
    ends = _stack_ends([(edge.system, edge) for edge in ordered], widths, right)
    curves = [
        Curve(edge=edge, path=_draw_curve(starts[key], ends[key]), width=round(widths[key], 2))
        for edge in ordered
        for key in [(edge.service, edge.system)]
    ]
    # Narrow curves stay visible above wide ones.
    curves.sort(key=lambda curve: -curve.width)
    return Picture(services=services, systems=systems, curves=curves, height=height)


def _place_nodes(nodes: Sequence[Node], height: int) -> dict[str, float]:
    """Return the middle of each node; the shorter column is in the middle of the picture."""
    first = (height - ROW * len(nodes)) / 2 + ROW / 2
    return {node.name: first + ROW * place for place, node in enumerate(nodes)}


def _stack_ends(
    edges: Iterable[tuple[str, Edge]], widths: dict[tuple[str, str], float], places: dict[str, float]
) -> dict[tuple[str, str], float]:
    """Return where each edge ends at its nodes, whose edges lie next to each other."""
    by_node: dict[str, list[Edge]] = defaultdict(list)
    for node, edge in edges:
        by_node[node].append(edge)
    ends = {}
    for node, own in by_node.items():
        keys = [(edge.service, edge.system) for edge in own]
        at = places[node] - sum(widths[key] for key in keys) / 2
        for key in keys:
            ends[key] = at + widths[key] / 2
            at += widths[key]
    return ends


def _draw_curve(start: float, end: float) -> str:
    middle, start, end = WIDTH // 2, round(start, 2), round(end, 2)
    return f"M0 {start}C{middle} {start} {middle} {end} {WIDTH} {end}"
