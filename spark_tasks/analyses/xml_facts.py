"""
Reads the facts of an XML text in one streaming pass, without a tree.

A DTD is rejected, so there are no entities, and expat opens no addresses. Deep nesting costs no stack.
Source: docs/contributing/decisions/0040-analyses.md, "Facts"; docs/contributing/spec/promises.md, S-34.
"""

from typing import NoReturn
from xml.parsers import expat

from spark_tasks.analyses.fields import FieldNode, FieldTree, shorten_name
from spark_tasks.analyses.values import MAX_LEAVES, Fact, TooManyLeaves, Unreadable, add_value

WITH_DTD = "XML with a DTD"
BROKEN_XML = "XML that is not well-formed"

_NAMESPACES = ("xmlns", "xsi:schemaLocation")


class _XmlReader:
    """The handlers of one text. `_node` is the innermost open element, `_outer` those around it."""

    def __init__(self, tree: FieldTree, root: FieldNode, facts: set[Fact]) -> None:
        self._tree = tree
        self._facts = facts
        self._lengths: dict[int, int] = {}
        self._node = root
        self._outer: list[FieldNode] = []
        self._is_leaf = False
        self._text: list[str] = []
        self._left = MAX_LEAVES

    def read_text(self, text: str) -> None:
        parser = expat.ParserCreate("utf-8")  # The text is decoded; its declaration is no longer right.
        parser.buffer_text = True
        parser.ordered_attributes = True
        parser.StartDoctypeDeclHandler = _refuse_dtd
        parser.StartElementHandler = self._start_element
        parser.EndElementHandler = self._end_element
        parser.CharacterDataHandler = self._text.append
        parser.Parse(text.encode(), True)
        self._facts.update(self._lengths.items())

    def _start_element(self, name: str, attributes: list[str]) -> None:
        parent = self._node
        self._outer.append(parent)
        node = parent.children.get(name)
        if node is None:
            node = self._tree.make_child(parent, name, f"/{shorten_name(name)}")
        self._node = node
        self._is_leaf = True
        self._text.clear()
        for index in range(0, len(attributes), 2):
            self._add_attribute(node, attributes[index], attributes[index + 1])

    def _add_attribute(self, node: FieldNode, name: str, value: str) -> None:
        if name.startswith(_NAMESPACES):
            return
        key = f"@{name}"
        child = node.children.get(key)
        if child is None:
            child = self._tree.make_child(node, key, f"/@{shorten_name(name)}")
        self._add_leaf(child.number, value)

    def _end_element(self, _name: str) -> None:
        number = self._node.number
        if self._is_leaf:
            self._is_leaf = False
            self._add_leaf(number, "".join(self._text))
        elif number:
            self._facts.add(number)
        self._text.clear()
        self._node = self._outer.pop()

    def _add_leaf(self, number: int, value: str) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooManyLeaves
        if number:
            add_value(self._facts, self._lengths, number, value)


def _refuse_dtd(*_declaration: object) -> NoReturn:
    raise Unreadable(WITH_DTD)


def read_xml_facts(text: str, tree: FieldTree, root: FieldNode, facts: set[Fact]) -> None:
    """
    Add the facts of an XML text.

    Args:
        root: the place of the text, such as the payload.
        facts: incomplete after an error.

    Raises:
        Unreadable: it has a DTD, or is not well-formed.
        TooManyLeaves: it has more leaves than are read; those before are facts.
    """
    try:
        _XmlReader(tree, root, facts).read_text(text)
    except (expat.ExpatError, UnicodeEncodeError) as error:
        raise Unreadable(BROKEN_XML) from error
