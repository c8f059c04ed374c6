"""
The type of a stored text, guessed from its first characters because the hub does not store it; and its
display.
"""

import re
from datetime import datetime

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from lxml import etree

from messages_app.core.markup import show_time
from messages_app.payloads.code_points import INVISIBLE, name_of
from messages_app.payloads.segments import format_of
from messages_app.shared.text_safety import MASK

XML, JSON, HTML, TEXT = "application/xml", "application/json", "text/html", "text/plain"

# Characters that may come before the text itself: a byte order mark and whitespace.
BLANKS = "\ufeff \t\r\n"

# A list of numbers, but not a time or level of a log line, such as [2026-11-01 12:00] or [ERROR].
_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*[],]"
_JSON_START = re.compile(rf'\{{\s*(?:["}}]|\Z)|\[\s*(?:[]"{{\[]|{_NUMBER}|true|false|null|\Z)')
# Texts that programs write as JSON, and that are not: names without quotes or in single ones, and "1.".
_ALMOST_JSON = re.compile(r"""\{\s*(?:'[^'\n]*'|[A-Za-z_$][\w$]*)\s*:\s*["'\d{\[tfn]|\[\s*-?\d+\.\s*[],]""")
# An error page of a proxy or an application server.
_HTML_START = re.compile(
    r"(?:<\?xml[^>]*+>\s*+)?(?:<!--.*?-->\s*+)*+(?:<!DOCTYPE\s+html|<html)\b", re.I | re.S
)


def guess_type(text: str) -> str:
    """Return the content type that the beginning of a text suggests."""
    start = text.lstrip(BLANKS)[:500]
    if start.startswith("<"):
        return HTML if _HTML_START.match(start) else XML
    if _JSON_START.match(start) or _ALMOST_JSON.match(start):
        return JSON
    found = format_of(text)
    return found.content_type if found else TEXT


# Stored text as markup: escaped, with marks for invisible characters.


# White space in a name that looks like a blank, but is another character; and any at its ends.
_ODD_BLANKS = re.compile(r"([^\S ])\1*+")
_RUN = re.compile(r"(\s)\1*+")


def mark_invisible(text: str) -> SafeString:
    """Return `text` escaped, with marks for invisible characters."""
    return mark_safe(INVISIBLE.sub(_show_invisible, escape(text)))  # noqa: S308 (escaped here)


def mark_name(text: str) -> SafeString:
    """Return a name escaped, with marks for all that makes it different from one that looks the same."""
    body = text.strip()
    start = len(text) - len(text.lstrip())
    ends = (_RUN.sub(_show_invisible, end) for end in (text[:start], text[start + len(body) :]))
    return mark_safe(_ODD_BLANKS.sub(_show_invisible, mark_invisible(body)).join(ends))  # noqa: S308 (escaped here)


def colour_text(colour: str, text: str) -> SafeString:
    """
    Return the same as `marked`, in a span of the class `colour`, or without a span if one of the two is
    empty.
    """
    markup = mark_invisible(text)
    return mark_safe(f'<span class="{colour}">{markup}</span>') if colour and text else markup  # noqa: S308 (escaped above)


def _show_invisible(match: re.Match[str]) -> str:
    run = match.group()
    times = f" ×{len(run)}" if len(run) > 1 else ""
    name = name_of(run[0]).partition(" ")[2]
    title = f' title="{name}"' if name else ""
    return f'<span class="invisible-mark"{title}>U+{ord(run[0]):04X}{times}</span>'


# Masks every value of an XML text, for users who may only see its structure
# (docs/contributing/spec/bad_input.md, X44 to X51).


# A text with more attributes in one element is hidden, because setting one attribute searches all of them.
MASKED_ATTRIBUTES = 1000

# In a masked text, nothing else matches this.
_NAMESPACE = re.compile(r"""(\sxmlns(?::[^\s=<>"'/]+)?=)("[^"]+"|'[^']+')""")
_DECLARATION = re.compile(r"<\?xml\s.*?\?>", re.DOTALL)


class TooCostlyToMask(Exception):
    """One element has more than MASKED_ATTRIBUTES attributes."""


def masked_text(text: str, root: etree._Element) -> str:
    """
    Return `text`, whose parsed root is `root`, laid out and with masked values. Changes the tree.

    Raises:
        TooCostlyToMask: an element has too many attributes.
    """
    for node in (*root.itersiblings(preceding=True), *root.itersiblings(), *root.iter()):
        _mask_node(node)
    etree.indent(root, space="  ")
    declaration = _DECLARATION.match(text.lstrip(BLANKS))
    head = f"{declaration.group()}\n" if declaration else ""
    return head + _without_namespaces(etree.tostring(root.getroottree(), encoding="unicode"))


def _without_namespaces(text: str) -> str:
    """Return a masked text with numbers instead of namespaces, so that it can be parsed again."""
    numbers: dict[str, int] = {}

    def numbered(match: re.Match[str]) -> str:
        number = numbers.setdefault(match[2], len(numbers) + 1)
        return f'{match[1]}"masked:{number}"'

    return _NAMESPACE.sub(numbered, text)


def _mask_node(node: etree._Element) -> None:
    if node.text and node.text.strip():
        node.text = MASK
    if node.tail and node.tail.strip():
        node.tail = MASK
    if not isinstance(node.tag, str):
        return
    if len(node.attrib) > MASKED_ATTRIBUTES:
        raise TooCostlyToMask
    for name in node.attrib:
        node.set(name, MASK)


def column_value(value: object) -> SafeString | str:
    """Show the value of any column."""
    if isinstance(value, datetime):
        return show_time(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return mark_invisible(str(value))


def attribute_value(row: object, attribute: str) -> SafeString | str:
    """Show a column of a row by its name; empty if the row is missing."""
    value = getattr(row, attribute)
    return "" if value is None else column_value(value)
