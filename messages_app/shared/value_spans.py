"""
Finds where the values of a path are in the text of a payload, so that only they are replaced.

The paths are those of business keys. Values are found in the parsed text, and their places by counting the
tokens of the text. Executors use this module too.
"""

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple

from messages_app.shared.json_check import check_json_text
from messages_app.shared.json_paths import compile_json_path
from messages_app.shared.key_extraction import is_json_path
from messages_app.shared.markup import JSON, XML, guess_markup
from messages_app.shared.payload_places import ATTRIBUTE, split_blanks
from messages_app.shared.tokens import Kind, Token, json_tokens, xml_tokens
from messages_app.shared.xml_parsing import CHECKED_BYTES, Unreadable, parse_xml
from messages_app.shared.xml_paths import compile_xml_targets, drop_namespaces, list_elements

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?\Z", re.ASCII)
_CONSTANTS = frozenset({"true", "false", "null"})


class TooLarge(Exception):
    """The corrected payload would be too large."""


class Span(NamedTuple):
    """A part of a payload, and its new text."""

    start: int
    end: int
    new: str


class _Leaf(str):
    """A text or number of JSON, which knows its place."""

    start: int
    end: int
    is_number: bool


def find_value_spans(payload: str, path: str, value: str) -> list[Span]:
    """
    Return the parts of a payload that have the values of a path, in their order. None in a payload of another
    type, and in one that is not well-formed.

    Elements with other elements in them are left out. In JSON a number remains one if `value` is a number.

    Raises:
        BadPath: the path is not valid or not supported.
        TooLarge: the new texts are together larger than any payload may be.
    """
    markup = guess_markup(payload)
    try:
        if is_json_path(path):
            spans = list(limit_spans(_find_json_spans(payload, path, value))) if markup == JSON else []
        else:
            spans = list(limit_spans(_find_xml_spans(payload, path, value))) if markup == XML else []
    except Unreadable:
        return []
    return sorted(set(spans))


def limit_spans(spans: Iterator[Span]) -> Iterator[Span]:
    """
    Yield the spans. A short text in many places could otherwise become gigabytes.

    Raises:
        TooLarge: their new texts are together larger than any payload may be.
    """
    total = 0
    for span in spans:
        total += len(span.new)
        if total > CHECKED_BYTES:
            raise TooLarge
        yield span


def check_target_path(path: str) -> None:
    """
    Check that the values of a path can be replaced.

    Raises:
        BadPath: the path is not valid or not supported, or gives texts that are computed.
    """
    if is_json_path(path):
        compile_json_path(path)
    else:
        compile_xml_targets(path)


def _find_json_spans(payload: str, path: str, value: str) -> Iterator[Span]:
    check_json_text(payload)
    for leaf in compile_json_path(path)(_read_leaves(payload)):
        if isinstance(leaf, _Leaf):
            is_bare = leaf.is_number and _NUMBER.match(value)
            yield Span(leaf.start, leaf.end, value if is_bare else json.dumps(value, ensure_ascii=False))


def _read_leaves(payload: str) -> Any:
    """Return well-formed JSON as objects, lists and leaves, with None in place of other values."""
    blanks = split_blanks(payload)
    roots: list[Any] = []
    opened: list[Any] = [roots]
    name = ""
    for token in json_tokens(payload[blanks:]):
        if token.kind is Kind.KEY:
            name = json.loads(token.text)
        elif token.kind is Kind.CLOSE:
            opened.pop()
        elif token.kind in {Kind.OPEN, Kind.STRING, Kind.VALUE}:
            node = _read_node(token, blanks)
            if isinstance(opened[-1], dict):
                opened[-1][name] = node
            else:
                opened[-1].append(node)
            if token.kind is Kind.OPEN:
                opened.append(node)
    return roots[0]


def _read_node(token: Token, blanks: int) -> Any:
    if token.kind is Kind.OPEN:
        return {} if token.text == "{" else []
    if token.text in _CONSTANTS:
        return None
    leaf = _Leaf(token.text if token.kind is Kind.VALUE else json.loads(token.text))
    leaf.start, leaf.end = blanks + token.start, blanks + token.start + len(token.text)
    leaf.is_number = token.kind is Kind.VALUE
    return leaf


def _find_xml_spans(payload: str, path: str, value: str) -> Iterator[Span]:
    root = drop_namespaces(parse_xml(payload, size=len(payload.encode("utf-8", "replace"))))
    numbers = {element: number for number, element in enumerate(list_elements(root))}
    whole: set[int] = set()
    attributes: dict[int, set[str]] = {}
    for element, attribute in compile_xml_targets(path)(root):
        if attribute:
            attributes.setdefault(numbers[element], set()).add(attribute)
        elif not list_elements(element)[1:]:
            whole.add(numbers[element])
    last = max(whole | attributes.keys(), default=-1)
    number, contents = -1, dict[int, int]()
    opened: list[int] = []
    for token in xml_tokens(payload):
        if token.kind in {Kind.START, Kind.EMPTY}:
            number += 1
            if number > last:
                return  # Each element to replace has no other one in it, so it has ended.
            yield from _find_attribute_spans(token, attributes.get(number, frozenset()), value)
        if token.kind is Kind.EMPTY and number in whole:
            yield _fill_empty_element(token, value)
        elif token.kind is Kind.START:
            opened.append(number)
            contents[number] = token.start + len(token.text)
        elif token.kind is Kind.END:
            ended = opened.pop()
            if ended in whole:
                yield Span(contents[ended], token.start, escape(value, quote=False))


def _fill_empty_element(token: Token, value: str) -> Span:
    name = re.split(r"[\s/>]", token.text[1:], maxsplit=1)[0]
    end = token.start + len(token.text)
    return Span(end - 2, end, f">{escape(value, quote=False)}</{name}>" if value else "/>")


def _find_attribute_spans(token: Token, names: set[str] | frozenset[str], value: str) -> Iterator[Span]:
    """Yield the values of attributes by their local names; a name without a prefix comes first."""
    if not names:
        return
    matches = {match[1]: match for match in ATTRIBUTE.finditer(token.text)}
    by_local_name = {name.rpartition(":")[2]: match for name, match in reversed(matches.items())} | {
        name: match for name, match in matches.items() if ":" not in name
    }
    for name in sorted(names & set(by_local_name)):
        start, end = by_local_name[name].span(2)
        yield Span(token.start + start + 1, token.start + end - 1, escape(value))
