"""
Reads the leaves of a JSON text.

Numbers stay texts, because one may have a million digits. Source:
docs/contributing/decisions/0041-analyses.md, "Facts".
"""

import json
from collections.abc import Iterator
from typing import NoReturn

from spark_tasks.analyses.facts import Fact, Leaf, Unreadable
from spark_tasks.analyses.fields import FieldNode, FieldTree, write_json_step

BROKEN_JSON = "JSON that is not well-formed"

_WORDS: dict[object, str] = {True: "true", False: "false", None: "null"}
_ITEM = "[*]"


class _Constant(ValueError):
    """A number that JSON does not have."""


def _refuse_constant(name: str) -> NoReturn:
    raise _Constant(name)


def read_json_leaves(text: str, tree: FieldTree, root: FieldNode, facts: set[Fact]) -> list[Leaf]:
    """
    Return the leaves of a JSON text: everything except objects and lists, which are added to `facts`.

    Arguments and errors are those of read_xml_leaves.
    """
    try:
        value = json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Unreadable(BROKEN_JSON) from error
    leaves: list[Leaf] = []
    open_values: list[tuple[FieldNode, object]] = [
        (root.children.get("$") or tree.make_child(root, "$", "$"), value)
    ]
    while open_values:  # without recursion
        node, value = open_values.pop()
        if isinstance(value, dict | list):
            facts.add(node.number)
            open_values.extend(_inner_values(tree, node, value))
        else:
            leaves.append((node.number, value.strip() if isinstance(value, str) else _WORDS[value]))
    return leaves


def _inner_values(
    tree: FieldTree, node: FieldNode, value: dict[str, object] | list[object]
) -> Iterator[tuple[FieldNode, object]]:
    children = node.children
    if isinstance(value, list):
        item = children.get(_ITEM) or tree.make_child(node, _ITEM, _ITEM)
        yield from ((item, each) for each in value)
        return
    for name, each in value.items():
        # A member may be named [*].
        key = f".{name}"
        yield children.get(key) or tree.make_child(node, key, write_json_step(name)), each
