"""
Reads the leaves of XML and JSON texts.

XML is read in one streaming pass, without a tree. A DTD is rejected, so there are no entities, and expat
opens no addresses. Numbers of JSON stay texts, because one may have a million digits. Deep nesting costs no
stack.
Source: docs/contributing/decisions/0041-analyses.md, "Facts"; docs/contributing/spec/promises.md, S-34.
"""

import json
from collections.abc import Callable, Iterator
from typing import NoReturn
from xml.parsers import expat

from spark_tasks.analyses.facts import Fact, Leaf, Unreadable
from spark_tasks.analyses.fields import FieldNode, FieldTree, shorten_name, write_json_step

WITH_DTD = "XML with a DTD"
BROKEN_XML = "XML that is not well-formed"

StartHandler = Callable[[str, list[str]], None]
EndHandler = Callable[[str], None]

_NAMESPACES = ("xmlns", "xsi:schemaLocation")


def read_xml_leaves(text: str, tree: FieldTree, root: FieldNode, facts: set[Fact]) -> list[Leaf]:
    """
    Return the leaves of an XML text: attributes, and elements without other elements in them.

    Args:
        root: the place of the text, such as the payload.
        facts: gets the elements with others in them; incomplete after an error.

    Raises:
        Unreadable: it has a DTD, or is not well-formed.
    """
    leaves: list[Leaf] = []
    characters: list[str] = []
    parser = expat.ParserCreate("utf-8")  # The text is decoded; its declaration is no longer right.
    parser.buffer_text = True
    parser.ordered_attributes = True
    parser.StartDoctypeDeclHandler = _refuse_dtd
    parser.CharacterDataHandler = characters.append
    parser.StartElementHandler, parser.EndElementHandler = _make_handlers(
        tree, root, characters, leaves, facts
    )
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise Unreadable(BROKEN_XML) from error
    return leaves


def _refuse_dtd(*_declaration: object) -> NoReturn:
    raise Unreadable(WITH_DTD)


def _make_handlers(
    tree: FieldTree, root: FieldNode, characters: list[str], leaves: list[Leaf], facts: set[Fact]
) -> tuple[StartHandler, EndHandler]:
    """
    Return the handlers of one text. Closures, because methods would take a third longer.

    Args:
        characters: the text of the open element since its last tag.
    """
    node, outer, is_leaf = root, [root], False
    open_outer, close_outer, add_leaf, add_fact = outer.append, outer.pop, leaves.append, facts.add
    forget_characters = characters.clear

    def start_element(name: str, attributes: list[str]) -> None:
        nonlocal node, is_leaf
        open_outer(node)
        try:
            node = node.children[name]
        except KeyError:
            node = tree.make_child(node, name, f"/{shorten_name(name)}")
        is_leaf = True
        forget_characters()
        for index in range(0, len(attributes), 2):
            key = f"@{attributes[index]}"
            try:
                child = node.children[key]
            except KeyError:
                if attributes[index].startswith(_NAMESPACES):
                    continue
                child = tree.make_child(node, key, f"/@{shorten_name(attributes[index])}")
            add_leaf((child.number, attributes[index + 1].strip()))

    def end_element(_name: str) -> None:
        nonlocal node, is_leaf
        if is_leaf:
            is_leaf = False
            add_leaf((node.number, "".join(characters).strip()))
        else:
            add_fact(node.number)
        forget_characters()
        node = close_outer()

    return start_element, end_element


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
