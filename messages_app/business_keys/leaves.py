"""Lists the values of a payload with the path of each, from which keys are suggested."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from messages_app.shared.json_paths import is_plain_name
from messages_app.shared.key_extraction import parse_payload, trim_value
from messages_app.shared.xml_parsing import BLANKS
from messages_app.shared.xml_paths import text_of

# Further values of a payload are left out.
_MAX_LEAVES = 2_000
_MAX_DEPTH = 40


class Leaf(NamedTuple):
    """
    A value of a payload.

    Args:
        path: the path of all such values, from the root.
        names: the names of the steps, without those of attributes' signs and positions.
        value: as it is stored as a key.
    """

    path: str
    names: tuple[str, ...]
    value: str


def list_leaves(payload: str | None) -> list[Leaf]:
    """
    Return the first values of a payload, XML or JSON.

    Raises:
        Unreadable: the payload is neither.
    """
    is_json = payload is not None and payload.lstrip(BLANKS)[:1] in ("{", "[")
    root = parse_payload(payload, is_json=is_json)
    leaves = []
    for leaf in _iterate_json(root, "$", ()) if is_json else _iterate_xml(root, "", ()):
        if leaf.value:
            leaves.append(leaf)
        if len(leaves) >= _MAX_LEAVES:
            break
    return leaves


def _iterate_xml(node: Any, above: str, names: tuple[str, ...]) -> Iterator[Leaf]:
    if len(names) >= _MAX_DEPTH:
        return
    path, names = f"{above}/{node.tag}", (*names, node.tag)
    for attribute, value in node.attrib.items():
        yield Leaf(f"{path}/@{attribute}", (*names, attribute), trim_value(value))
    children = [child for child in node if isinstance(child.tag, str)]
    if not children:
        yield Leaf(path, names, trim_value(text_of(node)))
    for child in children:
        yield from _iterate_xml(child, path, names)


def _iterate_json(value: object, path: str, names: tuple[str, ...]) -> Iterator[Leaf]:
    if len(names) >= _MAX_DEPTH:
        return
    if isinstance(value, dict):
        for name, member in value.items():
            if step := _json_step(name):
                yield from _iterate_json(member, f"{path}{step}", (*names, name))
    elif isinstance(value, list):
        for member in value:
            yield from _iterate_json(member, f"{path}[*]", names)
    elif isinstance(value, str):
        yield Leaf(path, names, trim_value(value))


def _json_step(name: str) -> str:
    """Return the step to a member; empty: no path can name it."""
    if is_plain_name(name):
        return f".{name}"
    return "" if "'" in name else f"['{name}']"
