"""
Parses XML safely. This is the only place that parses texts of others, and executors of Spark use it too.

No instruction in a payload is ever executed: a DTD is rejected unread, and no entity, include or address is
followed.

Source: docs/contributing/spec/bad_input.md, "Payloads", D62 to D64; docs/contributing/spec/promises.md, S-34.
"""

import re

from lxml import etree

# Characters that may come before the text itself: a byte order mark and whitespace.
BLANKS = "\ufeff \t\r\n"
# A larger text is not read completely. It is shown piece by piece, unchecked.
CHECKED_BYTES = 1_000_000
TOO_LARGE = "Too large to check as a whole; formatted piece by piece."
# A DTD can only be before the root element. The pattern is possessive, so that no input causes backtracking.
_DTD = re.compile(r"(?:\s++|<\?.*?\?>|<!--.*?-->)*+<!DOCTYPE", re.DOTALL)


class Unreadable(Exception):
    """
    The text is not XML or JSON that can be parsed safely. The message says why, for the page.

    Args:
        line, column: the place, from 1; 0 if it is unknown.
    """

    def __init__(self, problem: str, line: int = 0, column: int = 0) -> None:
        super().__init__(problem)
        self.line = line
        self.column = column


def parse_xml(text: str, *, size: int) -> etree._Element:
    """
    Parse a text without resolving entities or following addresses. Return its root.

    Args:
        size: the size of the text in bytes.

    Raises:
        Unreadable: it is too large, has a DTD or is not well-formed.
    """
    if size > CHECKED_BYTES:
        raise Unreadable(TOO_LARGE)
    body = text.lstrip(BLANKS)
    if _DTD.match(body):
        raise Unreadable("Contains a DTD. DTDs and entities are not processed.")
    try:
        return etree.fromstring(body.encode(), _make_parser())
    except etree.XMLSyntaxError as error:
        raise _not_well_formed(text, error) from error
    except LookupError as error:  # The encoding is unknown.
        raise Unreadable("Not well-formed: unknown encoding.") from error


def _make_parser() -> etree.XMLParser:
    # The text is already decoded, so the encoding that it declares is no longer right.
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        strip_cdata=False,
        remove_blank_text=True,
    )


def _not_well_formed(text: str, error: etree.XMLSyntaxError) -> Unreadable:
    if "XML_PARSE_HUGE" in error.msg:
        return Unreadable("Not checked: nested too deeply, or one value is too long.")
    line, column = error.position
    skipped = text[: len(text) - len(text.lstrip(BLANKS))]
    if line == 1:
        column += len(skipped) - skipped.rfind("\n") - 1
    line += skipped.count("\n")
    cause = re.sub(r", line \d+, column \d+.*$", "", error.msg or "no element found")
    return Unreadable(
        f"Not well-formed: line {line}, column {column}: {cause.strip()}.", line=line, column=column
    )
