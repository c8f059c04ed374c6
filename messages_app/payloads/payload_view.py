"""
The type and validity of a stored payload, envelope, request or response, and the part of it that a user may
see.

No instruction in a payload is ever executed: a DTD is rejected unread, and no entity, include or address is
followed.

Source: docs/contributing/spec/bad_input.md, "Payloads", D62 to D64.
"""

from dataclasses import dataclass

from messages_app.payloads.content_types import TEXT, guess_type
from messages_app.payloads.masking import TooCostlyToMask, masked_text
from messages_app.shared.markup import HTML, XML, check_text
from messages_app.shared.xml_parsing import BLANKS, Unreadable, parse_xml

HIDDEN = "Hidden because it is not XML that can be masked value by value."


@dataclass(frozen=True)
class Fault:
    """
    The place where a text stops being well-formed.

    Args:
        line, column: from 1, in characters of the stored text.
        offset: from 0, in bytes of it.
        before, at, after: the text around the place.
    """

    line: int
    column: int
    offset: int
    before: str
    at: str
    after: str


@dataclass(frozen=True, kw_only=True)
class PayloadView:
    """
    A text as a user may see it.

    Args:
        content: the stored text; if masked, the masked XML, or None if it is hidden completely.
        content_type: the guessed type; None if nothing is stored.
        bytes: the size of the stored text in UTF-8.
        masked: whether values were replaced or the text was hidden.
        problem: why it is not well-formed, hidden, unchecked or absent, in words; otherwise empty.
        fault: the place where it is not well-formed, or None.
    """

    content: str | None
    content_type: str | None
    bytes: int
    masked: bool
    problem: str = ""
    fault: Fault | None = None


def payload_view(text: str | None, *, masked: bool, stored_bytes: int | None = None) -> PayloadView:
    """
    Return `text` as a user sees it, completely or, if `masked`, only its structure.

    Masking replaces every text node, attribute value and comment by MASK. A text that is not well-formed XML,
    or too large to be masked, is hidden completely.

    Args:
        stored_bytes: the size of the stored text, if `text` is only its beginning.
    """
    if text is None:
        return PayloadView(content=None, content_type=None, bytes=0, masked=False, problem="Not recorded.")
    known_bytes = len(text.encode())
    size = known_bytes if stored_bytes is None else stored_bytes
    # A beginning of blanks says nothing about the values after it.
    if size == known_bytes and not text.strip(BLANKS):
        return PayloadView(
            content=text, content_type=TEXT, bytes=size, masked=False, problem="The payload is empty."
        )
    return _masked_view(text, size) if masked else _clear_view(text, size)


def _clear_view(text: str, size: int) -> PayloadView:
    content_type, problem, fault = guess_type(text), "", None
    try:
        check_text(text, size=size)
    except Unreadable as unreadable:
        problem, fault = str(unreadable), _find_fault(text, unreadable)
    return PayloadView(
        content=text,
        content_type=content_type,
        bytes=size,
        masked=False,
        problem=problem,
        fault=fault,
    )


def _masked_view(text: str, size: int) -> PayloadView:
    try:
        if guess_type(text) not in {XML, HTML}:
            raise Unreadable(HIDDEN)
        content = masked_text(text, parse_xml(text, size=size))
    except (Unreadable, TooCostlyToMask):
        # The text of the parser's error is left out, because it quotes the payload.
        return PayloadView(content=None, content_type=TEXT, bytes=size, masked=True, problem=HIDDEN)
    return PayloadView(content=content, content_type=XML, bytes=size, masked=True)


_AROUND = 60


def _find_fault(text: str, unreadable: Unreadable) -> Fault | None:
    if not unreadable.line:
        return None
    start = 0
    for _ in range(unreadable.line - 1):
        start = text.find("\n", start) + 1
    # Parsers sometimes report a place after the error, but never outside of the text.
    place = min(start + unreadable.column - 1, max(len(text) - 1, 0))
    return Fault(
        line=unreadable.line,
        column=unreadable.column,
        offset=len(text[:place].encode()),
        before=text[max(place - _AROUND, 0) : place],
        at=text[place : place + 1],
        after=text[place + 1 : place + _AROUND],
    )
