"""What a stored text looks like. The hub does not say; its first characters do."""

import re

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from lxml import etree

from messages_app.shared.text_safety import MASK

XML, JSON, TEXT = "application/xml", "application/json", "text/plain"

# What may be before the text itself: a byte order mark and blanks.
BLANKS = "\ufeff \t\r\n"

# A list of numbers, and no time or level of a log line: [2026-11-01 12:00] or [ERROR].
_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*[],]"
_JSON_START = re.compile(rf'\{{\s*(?:["}}]|\Z)|\[\s*(?:[]"{{\[]|{_NUMBER}|true|false|null|\Z)')


def guess(text: str) -> str:
    """Return the type that the beginning of a text has."""
    start = text.lstrip(BLANKS)[:200]
    if start.startswith("<"):
        return XML
    return JSON if _JSON_START.match(start) else TEXT


# Stored text as markup: escaped, with marks for the characters that no one would see.


# Control characters, marks that turn the reading direction, blanks without width, line ends of other kinds.
# A run of one of them is one mark.
_INVISIBLE = re.compile(
    "([\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff])\\1*+"
)


def marked(text: str) -> SafeString:
    """Return `text` escaped, with marks for the characters in it that no one would see."""
    return mark_safe(_INVISIBLE.sub(_visible, escape(text)))  # noqa: S308 (escaped here)


def coloured(colour: str, text: str) -> SafeString:
    """Return `text` as `marked` does, in a span of the class `colour`; without one where it is empty."""
    markup = marked(text)
    return mark_safe(f'<span class="{colour}">{markup}</span>') if colour and text else markup  # noqa: S308 (escaped above)


def _visible(match: re.Match[str]) -> str:
    run = match.group()
    times = f" ×{len(run)}" if len(run) > 1 else ""
    return f'<span class="invisible-mark">U+{ord(run[0]):04X}{times}</span>'


# Replaces every value of an XML text, for who may see its structure only (docs/spec/bad_input.md, X44 to
# X51).


# Past this a text is hidden instead: setting one attribute is a search through all of them.
MASKED_ATTRIBUTES = 1000

# Of a masked text, in which nothing else looks so.
_NAMESPACE = re.compile(r"""(\sxmlns(?::[^\s=<>"'/]+)?=)("[^"]+"|'[^']+')""")
_DECLARATION = re.compile(r"<\?xml\s.*?\?>", re.DOTALL)


class TooCostlyToMask(Exception):
    """One element has more than MASKED_ATTRIBUTES attributes."""


def masked_text(text: str, root: etree._Element) -> str:
    """
    Return `text`, whose parsed root is `root`, laid out and without its values. Changes the tree.

    Raises:
        TooCostlyToMask: see there.
    """
    for node in (*root.itersiblings(preceding=True), *root.itersiblings(), *root.iter()):
        _mask(node)
    etree.indent(root, space="  ")
    declaration = _DECLARATION.match(text.lstrip(BLANKS))
    head = f"{declaration.group()}\n" if declaration else ""
    return head + _without_namespaces(etree.tostring(root.getroottree(), encoding="unicode"))


def _without_namespaces(text: str) -> str:
    """Return a masked text with a number in the place of each namespace, so that it can be parsed again."""
    numbers: dict[str, int] = {}

    def numbered(match: re.Match[str]) -> str:
        number = numbers.setdefault(match[2], len(numbers) + 1)
        return f'{match[1]}"masked:{number}"'

    return _NAMESPACE.sub(numbered, text)


def _mask(node: etree._Element) -> None:
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
