"""
Names places in payloads by the elements, attributes or members around them, for people and for counts.

Nothing is parsed, so places in texts that are not well-formed have names too. Executors use this module too.
"""

import json
import re
from collections.abc import Iterator, Sequence

from messages_app.shared.markup import HTML, JSON, XML, guess_markup
from messages_app.shared.tokens import Kind, Token, json_tokens, xml_tokens
from messages_app.shared.xml_parsing import BLANKS

# Names of a place, from the innermost one outwards, and characters of each name.
_MAX_NAMES, _MAX_NAME = 4, 60
_TAG = re.compile(r"</?\s*([^\s/>]*)")
ATTRIBUTE = re.compile(r"""(?<=\s)([^\s=/<>"']++)\s*+=\s*+("[^"]*+"|'[^']*+')""")


def name_places(payload: str, positions: Sequence[int]) -> list[str]:
    """
    Return a name for each position: `order/customer`, `order/@id`, or `order.customer` in JSON. Empty for a
    place outside of all of them, and in any other text.

    Args:
        positions: in ascending order.
    """
    markup = guess_markup(payload)
    if markup in {XML, HTML}:
        names = list(_iterate_xml_places(payload, positions))
    elif markup == JSON:
        names = list(_iterate_json_places(payload, positions))
    else:
        names = []
    return names + [""] * (len(positions) - len(names))


def split_blanks(payload: str) -> int:
    """Return the number of characters before the text itself."""
    return len(payload) - len(payload.lstrip(BLANKS))


def _iterate_xml_places(payload: str, positions: Sequence[int]) -> Iterator[str]:
    path: list[str] = []
    waiting = iter(positions)
    position = next(waiting, None)
    for token in xml_tokens(payload):
        if token.kind in {Kind.START, Kind.EMPTY}:
            path.append(_local_name_of(token))
        while position is not None and position < token.start + len(token.text):
            yield _join_names(path, "/", _attribute_at(token, position))
            position = next(waiting, None)
        if position is None:
            return
        if token.kind in {Kind.END, Kind.EMPTY} and path:
            path.pop()


def _local_name_of(token: Token) -> str:
    match = _TAG.match(token.text)
    return match[1].rpartition(":")[2] if match else ""


def _attribute_at(token: Token, position: int) -> str:
    if token.kind not in {Kind.START, Kind.EMPTY}:
        return ""
    for match in ATTRIBUTE.finditer(token.text):
        if match.start() <= position - token.start < match.end():
            return "@" + match[1].rpartition(":")[2]
    return ""


def _iterate_json_places(payload: str, positions: Sequence[int]) -> Iterator[str]:
    # One entry for each open object or array: the name of its current member, empty in an array.
    path: list[str] = []
    waiting = iter(positions)
    position = next(waiting, None)
    blanks = split_blanks(payload)
    for token in json_tokens(payload[blanks:]):
        if token.kind is Kind.KEY and path:
            path[-1] = _read_key(token.text)
        while position is not None and position < blanks + token.start + len(token.text):
            yield _join_names(path, ".", "")
            position = next(waiting, None)
        if position is None:
            return
        if token.kind is Kind.OPEN:
            path.append("")
        elif token.kind is Kind.CLOSE and path:
            path.pop()
        elif token.kind is Kind.COMMA and path:
            path[-1] = ""


def _read_key(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return text.strip('"')


def _join_names(path: Sequence[str], sign: str, last: str) -> str:
    names = [name[:_MAX_NAME] for name in [*path[-_MAX_NAMES:], last] if name]
    return sign.join(names)
