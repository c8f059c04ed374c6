"""
Reads the facts of a JSON text.

Numbers stay texts, because one may have a million digits. Source:
docs/contributing/decisions/0040-analyses.md, "Facts".
"""

import json
from collections.abc import Iterator
from typing import NoReturn

from spark_tasks.analyses.fields import FieldNode, FieldTree, write_json_step
from spark_tasks.analyses.values import MAX_LEAVES, Fact, TooManyLeaves, Unreadable, add_value

BROKEN_JSON = "JSON that is not well-formed"

_WORDS: dict[object, str] = {True: "true", False: "false", None: "null"}
_ITEM = "[*]"


class _Constant(ValueError):
    """A number that JSON does not have."""


def _refuse_constant(name: str) -> NoReturn:
    raise _Constant(name)


def read_json_facts(text: str, tree: FieldTree, root: FieldNode, facts: set[Fact]) -> None:
    """
    Add the facts of a JSON text. Arguments and errors are those of read_xml_facts.
    """
    try:
        value = json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Unreadable(BROKEN_JSON) from error
    place = root.children.get("$") or tree.make_child(root, "$", "$")
    lengths: dict[int, int] = {}
    _add_facts(tree, facts, lengths, [(place, value)])
    facts.update(lengths.items())


def _add_facts(
    tree: FieldTree, facts: set[Fact], lengths: dict[int, int], open_values: list[tuple[FieldNode, object]]
) -> None:
    """Add the facts of values and everything in them, without recursion."""
    left = MAX_LEAVES
    while open_values:
        node, value = open_values.pop()
        if isinstance(value, dict | list):
            if node.number:
                facts.add(node.number)
            open_values.extend(_inner_values(tree, node, value))
            continue
        left -= 1
        if left < 0:
            raise TooManyLeaves
        if node.number:
            add_value(facts, lengths, node.number, _WORDS.get(value, str(value)))


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
