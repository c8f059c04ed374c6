"""
Reads values from JSON by a part of JSONPath: names, positions, all members, descendants, and a comparison.

`$.order.id`, `$['order']['id']`, `$.lines[0].sku`, `$.lines[*].sku`, `$..orderId` and
`$.ids[?(@.type=='order')].value`. Executors use this module too.

Source: RFC 9535
"""

import re
from collections.abc import Callable, Iterator, Sequence

from messages_app.shared.xml_paths import MAX_DESCENTS, MAX_PATH, BadPath

_NAME = r"[^\W\d][\w-]*"
_PLAIN = re.compile(_NAME)
_QUOTED = r"'[^']*'|\"[^\"]*\""
_STEP = re.compile(
    rf"(?P<descent>\.\.)(?P<below>{_NAME})"
    rf"|\.(?P<name>{_NAME}|\*)"
    rf"|\[\s*(?P<quoted>{_QUOTED})\s*\]"
    r"|\[\s*(?P<place>-?\d{1,6})\s*\]"
    r"|\[\s*(?P<all>\*)\s*\]"
    rf"|\[\?\s*\(?\s*@\.(?P<member>{_NAME})\s*==\s*(?P<value>{_QUOTED})\s*\)?\s*\]"
)

Step = Callable[[object], Iterator[object]]


def compile_json_path(path: str) -> Callable[[object], Iterator[str]]:
    """
    Return the function that yields the values of a path in parsed JSON, whose numbers are texts.

    Raises:
        BadPath: the path is not valid or not supported.
    """
    steps = _read_steps(path)

    def read_values(root: object) -> Iterator[str]:
        for value in _follow_steps([root], steps):
            if isinstance(value, str):
                yield value

    return read_values


def is_plain_name(name: str) -> bool:
    """Whether a path can name a member without quotes."""
    return _PLAIN.fullmatch(name) is not None


def _read_steps(path: str) -> list[Step]:
    if len(path) > MAX_PATH:
        raise BadPath(f"The path has {len(path)} characters; the maximum is {MAX_PATH}.")
    place, steps, descents = 1, [], 0
    while place < len(path):
        match = _STEP.match(path, place)
        if match is None:
            raise BadPath(
                f"The JSONPath is not supported from character {place + 1} on: {path[place : place + 20]}"
            )
        descents += bool(match["descent"])
        steps.append(_make_step(match))
        place = match.end()
    if not steps:
        raise BadPath("The JSONPath names the whole payload. Add a step, such as $.order.")
    if descents > MAX_DESCENTS:
        raise BadPath(f"The path has .. {descents} times; the maximum is {MAX_DESCENTS}.")
    return steps


def _make_step(match: re.Match[str]) -> Step:
    if match["below"]:
        return lambda node: _find_below(node, match["below"])
    if match["all"] or match["name"] == "*":
        return _iterate_children
    if match["place"]:
        return lambda node: _find_place(node, int(match["place"]))
    if match["member"]:
        return lambda node: _find_matching(node, match["member"], match["value"][1:-1])
    name = match["name"] or match["quoted"][1:-1]
    return lambda node: _find_member(node, name)


def _follow_steps(nodes: Sequence[object], steps: Sequence[Step]) -> Sequence[object]:
    for step in steps:
        nodes = [value for node in nodes for value in step(node)]
    return nodes


def _find_member(node: object, name: str) -> Iterator[object]:
    if isinstance(node, dict) and name in node:
        yield node[name]


def _iterate_children(node: object) -> Iterator[object]:
    if isinstance(node, dict):
        yield from node.values()
    elif isinstance(node, list):
        yield from node


def _find_place(node: object, place: int) -> Iterator[object]:
    if isinstance(node, list) and -len(node) <= place < len(node):
        yield node[place]


def _find_matching(node: object, name: str, value: str) -> Iterator[object]:
    for child in _iterate_children(node):
        if isinstance(child, dict) and child.get(name) == value:
            yield child


def _find_below(node: object, name: str) -> Iterator[object]:
    """Yield the members with a name in a node and everything below it. Each node is read once."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield from _find_member(each, name)
        waiting += reversed([child for child in _iterate_children(each) if isinstance(child, dict | list)])
