"""Masks every value of an XML text, for users who may only see its structure.

Source: docs/contributing/spec/bad_input.md, X44 to X51.
"""

import re

from lxml import etree

from messages_app.shared.text_safety import MASK
from messages_app.shared.xml_parsing import BLANKS

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

    def number_namespace(match: re.Match[str]) -> str:
        number = numbers.setdefault(match[2], len(numbers) + 1)
        return f'{match[1]}"masked:{number}"'

    return _NAMESPACE.sub(number_namespace, text)


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
