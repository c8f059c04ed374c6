"""
The words of a stored text: what a full-text index wants of XML and JSON, without their marks.

Bounded by who reads the text: nothing larger than CHECKED_BYTES is parsed.
"""

import json
from collections.abc import Iterator

from messages_app.payloads.content import BLANKS, JSON, XML, guess
from messages_app.payloads.payloads import Unreadable, parse_xml

# Lines of a page where no form feed ends it before.
LINES_OF_A_PAGE = 60


def words_of(text: str) -> str:
    """
    Return the values of XML (texts and attributes) or JSON, one a line, in their order; other text as it is.

    What is neither well-formed nor readable is other text: an index finds something in it.
    """
    kind = guess(text)
    try:
        if kind == XML:
            return "\n".join(_of_xml(text))
        if kind == JSON:
            return "\n".join(_of_json(text))
    except Unreadable:
        pass
    return text


def pages_of(text: str) -> int:
    """Return how many pages a text has: of 60 lines, or up to a form feed; none where it is empty."""
    if not text.strip():
        return 0
    return sum(max(1, -(-len(part.splitlines()) // LINES_OF_A_PAGE)) for part in text.split("\f"))


def _of_xml(text: str) -> Iterator[str]:
    waiting: list = [parse_xml(text, size=len(text.encode()))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield from _said(node)
            continue
        # Comments and instructions are not words; what is behind them is.
        if isinstance(node.tag, str):
            yield from _said(*node.attrib.values(), node.text)
        waiting.extend(one for child in reversed(node) for one in (child.tail, child) if one is not None)


def _of_json(text: str) -> Iterator[str]:
    try:
        # Numbers stay as they are written.
        waiting = [json.loads(text.lstrip(BLANKS), parse_int=str, parse_float=str)]
    except (json.JSONDecodeError, RecursionError) as error:
        raise Unreadable("") from error
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(reversed(value.values()))
        elif isinstance(value, list):
            waiting.extend(reversed(value))
        elif isinstance(value, str):
            yield from _said(value)


def _said(*values: str | None) -> Iterator[str]:
    yield from (value.strip() for value in values if value and value.strip())
