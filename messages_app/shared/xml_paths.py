"""
Reads values from XML by XPath 1.0, of which only expressions are accepted whose time grows with the text.

Names match elements and attributes of every namespace, so that a path needs no prefixes. Executors use this
module too.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree

MAX_PATH = 300
# Two such steps read a text of the largest depth in a time that is still proportional to its size.
MAX_DESCENTS = 2
_MAX_DEPTH = 2

_LITERAL = re.compile(r"""'[^']*'|"[^"]*\"""")
_FUNCTION = re.compile(r"(?<![\w-])([\w-]++)\s*+\(")
_FUNCTIONS = frozenset(
    {
        "contains",
        "last",
        "local-name",
        "name",
        "normalize-space",
        "not",
        "position",
        "starts-with",
        "string",
        "text",
    }
)
# Each would let an expression compare all elements with all others, or reach outside of the text.
_REFUSED = {
    "|": "Unions (|) are not supported: define one key for each path.",
    "::": "Axes (::) are not supported, except for / and // and @.",
    ":": "Prefixes (:) are not supported. Names match every namespace, so leave the prefix out.",
    "$": "Variables ($) are not supported.",
}


class BadPath(ValueError):
    """The text is not a path that is supported. The message says why, for the form."""


def compile_xml_path(path: str) -> Callable[[etree._Element], Iterator[str]]:
    """
    Return the function that yields the values of a path in a tree whose names have no namespaces.

    Raises:
        BadPath: the path is not valid or not supported.
    """
    expression = _compile_expression(path)

    def read_values(root: etree._Element) -> Iterator[str]:
        result: Any = expression(root.getroottree())
        for each in [result] if isinstance(result, str) else result:
            yield text_of(each)

    return read_values


def compile_xml_targets(path: str) -> Callable[[etree._Element], Iterator[tuple[etree._Element, str]]]:
    """
    Return the function that yields where the values of a path are, in a tree whose names have no namespaces:
    the element, and the name of its attribute or an empty text.

    Raises:
        BadPath: the path is not valid or not supported, or gives a text that is computed.
    """
    expression = _compile_expression(path, with_places=True)
    if isinstance(expression(etree.Element("sample")), str):
        raise BadPath("The XPath gives a computed text. Name elements or attributes, which can be replaced.")

    def find_targets(root: etree._Element) -> Iterator[tuple[etree._Element, str]]:
        result: Any = expression(root.getroottree())
        for each in result:
            if isinstance(each, etree._Element):
                yield each, ""
            elif not each.is_tail:
                yield each.getparent(), each.attrname if each.is_attribute else ""

    return find_targets


def list_elements(root: etree._Element) -> list[etree._Element]:
    """Return an element and all below it, in the order of the text."""
    return list(root.iter(etree.Element))


def _compile_expression(path: str, *, with_places: bool = False) -> etree.XPath:
    _check_form(path)
    try:
        expression = etree.XPath(path, smart_strings=with_places)
        sample = expression(etree.Element("sample"))
    except (etree.XPathError, ValueError) as error:
        raise BadPath(f"This is not a valid XPath: {error}.") from None
    if not isinstance(sample, list | str):
        raise BadPath("The XPath gives a number or a truth value instead of elements, attributes or a text.")
    return expression


def drop_namespaces(root: etree._Element) -> etree._Element:
    """Rename the elements and attributes of a tree to their local names, and return the tree."""
    for node in root.iter(etree.Element):
        if node.tag[0] == "{":
            node.tag = node.tag.rpartition("}")[2]
        for name in [name for name in map(str, node.attrib) if name[0] == "{"]:
            value = node.attrib.pop(name)
            local_name = name.rpartition("}")[2]
            if local_name not in node.attrib:
                node.set(local_name, value)
    return root


def text_of(value: Any) -> str:
    """Return the text of an element and of all below it, or an attribute."""
    return value if isinstance(value, str) else "".join(value.itertext(etree.Element))


def _check_form(path: str) -> None:
    """Raise BadPath for an expression that is not supported."""
    if len(path) > MAX_PATH:
        raise BadPath(f"The path has {len(path)} characters; the maximum is {MAX_PATH}.")
    bare = _LITERAL.sub("''", path)
    for sign, why in _REFUSED.items():
        if sign in bare:
            raise BadPath(why)
    if bare.count("//") > MAX_DESCENTS:
        raise BadPath(f"The path has // {bare.count('//')} times; the maximum is {MAX_DESCENTS}.")
    if unknown := sorted(set(_FUNCTION.findall(bare)) - _FUNCTIONS):
        raise BadPath(f"The function {unknown[0]}() is not supported.")
    _check_conditions(bare)


def _check_conditions(bare: str) -> None:
    """Check the conditions in brackets, which may only read attributes and children of an element."""
    depth = 0
    for place, sign in enumerate(bare):
        depth += {"[": 1, "]": -1}.get(sign, 0)
        if depth > _MAX_DEPTH:
            raise BadPath("Conditions in brackets are nested too deeply.")
        if depth and (bare.startswith("//", place) or bare.startswith("..", place)):
            raise BadPath("A condition in brackets cannot contain // or ..")
        if depth and sign == "/" and bare[place - 1] in "[(=<> ":
            raise BadPath("A condition in brackets cannot begin at the root.")
        if not depth and sign in "=<>":
            raise BadPath("A comparison must be in brackets.")
