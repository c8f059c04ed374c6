"""
How a stored payload, envelope, request or response is shown: laid out, coloured, masked for who may not
read it.

Nothing in a payload is ever acted on: a DTD is refused unread, and no entity, include or address is followed.
Source: reliability.md 4.3 (X rows), D62 to D64.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from lxml import etree
from pygments import highlight
from pygments.filter import Filter, simplefilter
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import JsonLexer, TextLexer, XmlLexer
from pygments.token import Text, Whitespace

MASK = "•••"

# Larger text is shown as stored, its beginning only; the rest is a download.
LAID_OUT_BYTES = 1_000_000
SHOWN_CHARS = 256 * 1024
# Colour multiplies the markup; past this a page of it would be slow to open.
COLOURED_CHARS = 128 * 1024

# Past this a masked text is hidden instead.
MASKED_ATTRIBUTES = 1000

HIDDEN = "Hidden: this is not XML that can be masked value by value."

XML, JSON, TEXT = "application/xml", "application/json", "text/plain"
_LEXERS = {XML: XmlLexer, JSON: JsonLexer, TEXT: TextLexer}

# A DTD stands before the root element or nowhere. Possessive, so that no input makes it backtrack.
_DTD = re.compile(r"(?:\s++|<\?.*?\?>|<!--.*?-->)*+<!DOCTYPE", re.DOTALL)
_DECLARATION = re.compile(r"<\?xml\s.*?\?>", re.DOTALL)
# Control characters that XML 1.0 forbids, and marks that turn the reading direction.
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


_FORMATTER = HtmlFormatter(nowrap=True)


@simplefilter
def _plain_space(self: Filter, lexer: Lexer, stream: Iterable, options: dict) -> Iterator:
    """Leave blanks without markup of their own: there are more of them than of anything else."""
    for kind, text in stream:
        yield (Text if kind is Whitespace else kind), text


class NotLaidOut(Exception):
    """The text is not XML that can be parsed safely; says why in words for the page."""


@dataclass(frozen=True, kw_only=True)
class PayloadView:
    """
    One text as its reader may see it.

    Args:
        content: the stored text; for a masked reader the masked XML, or None where it is hidden whole.
        shown: what the page shows: `content` laid out, cut after SHOWN_CHARS.
        content_type: what it looks like; None where nothing is stored.
        bytes: the size of the stored text in UTF-8.
        masked: whether values were replaced or the text was hidden.
        problem: why it is not laid out, is hidden or is absent, in words; empty when all is well.
        is_cut: whether `shown` lacks the end of the text.
    """

    content: str | None
    shown: str
    content_type: str | None
    bytes: int
    masked: bool
    problem: str = ""
    is_cut: bool = False

    @cached_property
    def html(self) -> SafeString:
        """`shown` as escaped, coloured markup (classes only), invisible characters made visible."""
        lexer = _LEXERS[self.content_type or TEXT if len(self.shown) <= COLOURED_CHARS else TEXT]
        markup = highlight(
            self.shown, lexer(stripnl=False, ensurenl=False, filters=[_plain_space()]), _FORMATTER
        )
        return mark_safe(_INVISIBLE.sub(_visible, markup))  # noqa: S308 (the highlighter escapes)


def marked(text: str) -> SafeString:
    """Return `text` escaped, with marks for the characters in it that nobody would see."""
    return mark_safe(_INVISIBLE.sub(_visible, escape(text)))  # noqa: S308 (escaped here)


def payload_view(text: str | None, *, masked: bool, stored_bytes: int | None = None) -> PayloadView:
    """
    Return `text` as a reader sees it, who may read all of it or, when `masked`, its structure only.

    Masked, every text node, attribute value and comment is replaced by MASK; a text that is not well-formed
    XML, or too large to be masked, is hidden whole.

    Args:
        stored_bytes: the size of what is stored, when `text` is only its beginning.
    """
    if text is None:
        return _without_content("Not recorded.", masked=False)
    size = len(text.encode()) if stored_bytes is None else stored_bytes
    if not text.strip("\ufeff \t\r\n"):
        return _without_content("Payload is empty.", masked=False, content=text, size=size)
    try:
        return _laid_out(text, _parse(text, size=size), size=size, masked=masked)
    except NotLaidOut as problem:
        return _not_laid_out(text, size=size, masked=masked, problem=str(problem))


def _without_content(problem: str, *, masked: bool, content: str | None = None, size: int = 0) -> PayloadView:
    content_type = None if content is None and not size else TEXT
    return PayloadView(
        content=content, shown="", content_type=content_type, bytes=size, masked=masked, problem=problem
    )


def _laid_out(text: str, root: etree._Element, *, size: int, masked: bool) -> PayloadView:
    if masked:
        _mask(root)
    layout = _layout(text, root)
    return PayloadView(
        content=layout if masked else text,
        shown=layout[:SHOWN_CHARS],
        content_type=XML,
        bytes=size,
        masked=masked,
        is_cut=len(layout) > SHOWN_CHARS,
    )


def _not_laid_out(text: str, *, size: int, masked: bool, problem: str) -> PayloadView:
    if masked:
        # The parser's words quote the text, so they are not repeated here.
        return _without_content(HIDDEN, masked=True, size=size)
    return PayloadView(
        content=text,
        shown=text[:SHOWN_CHARS],
        content_type=_guess(text),
        bytes=size,
        masked=False,
        problem=problem,
        is_cut=len(text) > SHOWN_CHARS or size > len(text.encode()),
    )


def _guess(text: str) -> str:
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start == "<":
        return XML
    if start not in {"{", "["}:
        return TEXT
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return TEXT
    return JSON


def _parse(text: str, *, size: int) -> etree._Element:
    body = text.lstrip("\ufeff \t\r\n")
    if not body.startswith("<"):
        raise NotLaidOut("")
    if size > LAID_OUT_BYTES:
        raise NotLaidOut("Too large to be laid out; shown as stored.")
    if _DTD.match(body):
        raise NotLaidOut("It has a DTD; DTD and entities are not processed.")
    try:
        return etree.fromstring(body.encode(), _parser())
    except etree.XMLSyntaxError as error:
        raise NotLaidOut(_reason(error)) from error
    except LookupError as error:  # an encoding that nobody knows
        raise NotLaidOut("Not well-formed: unknown encoding.") from error


def _parser() -> etree.XMLParser:
    # The text is decoded already, so what it declares as its encoding no longer holds.
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        strip_cdata=False,
        remove_blank_text=True,
    )


def _reason(error: etree.XMLSyntaxError) -> str:
    if "XML_PARSE_HUGE" in error.msg:
        return "Nested too deeply, or one value is too long, to be laid out."
    line, column = error.position
    cause = re.sub(r", line \d+, column \d+.*$", "", error.msg or "no element found")
    return f"Not well-formed: line {line}, column {column}: {cause}."


def _mask(root: etree._Element) -> None:
    for node in (*root.itersiblings(preceding=True), *root.itersiblings(), *root.iter()):
        if node.text and node.text.strip():
            node.text = MASK
        if node.tail and node.tail.strip():
            node.tail = MASK
        if isinstance(node.tag, str):
            _mask_attributes(node)


def _mask_attributes(node: etree._Element) -> None:
    # Setting one is a search through all of them.
    if len(node.attrib) > MASKED_ATTRIBUTES:
        raise NotLaidOut("Too many attributes.")
    for name in node.attrib:
        node.set(name, MASK)


def _layout(text: str, root: etree._Element) -> str:
    etree.indent(root, space="  ")
    declaration = _DECLARATION.match(text.lstrip("\ufeff \t\r\n"))
    head = f"{declaration.group()}\n" if declaration else ""
    return head + etree.tostring(root.getroottree(), encoding="unicode")


def _visible(match: re.Match[str]) -> str:
    return f'<span class="invisible-mark">U+{ord(match.group()):04X}</span>'
