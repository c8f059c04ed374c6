"""One laid out line as markup: coloured by what its parts are, escaped, with its number and its depth."""

import re
from itertools import groupby
from operator import itemgetter

from django.utils.safestring import SafeString, mark_safe

from messages_app.contents.layout import Line
from messages_app.contents.markup import coloured
from messages_app.contents.tokens import Kind

# Class names of source.css, short because a page has thousands.
_TAG, _NAME, _STRING, _ASIDE, _VALUE = "t", "a", "s", "c", "n"

_COLOURS = {
    Kind.TEXT: "",
    Kind.START: _TAG,
    Kind.EMPTY: _TAG,
    Kind.END: _TAG,
    Kind.COMMENT: _ASIDE,
    Kind.INSTRUCTION: _ASIDE,
    Kind.CDATA: _STRING,
    Kind.STRING: _STRING,
    Kind.KEY: _NAME,
    Kind.VALUE: _VALUE,
}
# Thousands of attributes would be tens of thousands of spans.
_LONGEST_COLOURED_TAG = 8000
_TAG_PARTS = re.compile(
    r"""(?P<t></?[^\s"'>/=]++|/?>)|(?P<s>"[^"]*+"?|'[^']*+'?)|(?P<a>[^\s"'>/=]++)|(?P<rest>.)""", re.DOTALL
)


def line_markup(line: Line, *, number: int | None, is_hit: bool, anchor: str = "") -> SafeString:
    """
    Return a line, which ends in a line break, so that what is copied is the text.

    Args:
        number: the line's; None where nobody has counted.
        is_hit: whether it has the word in it that the reader looks for.
        anchor: the id that addresses name the line by.
    """
    of_number = "" if number is None else f' data-n="{number}"'
    of_hit = ' class="hit"' if is_hit else ""
    of_anchor = f' id="{anchor}"' if anchor else ""
    kinds = groupby(line.parts, key=itemgetter(0))
    parts = "".join(_part(kind, "".join(text for _, text in same)) for kind, same in kinds)
    return mark_safe(f'<span{of_number} data-d="{line.depth}"{of_hit}{of_anchor}>{parts}\n</span>')  # noqa: S308 (of parts that coloured escaped)


def _part(kind: Kind, text: str) -> SafeString:
    if kind in {Kind.START, Kind.EMPTY} and len(text) <= _LONGEST_COLOURED_TAG:
        return mark_safe("".join(map(_tag_part, _TAG_PARTS.finditer(text))))  # noqa: S308 (each escaped by coloured)
    return coloured(_COLOURS.get(kind, ""), text)


def _tag_part(match: re.Match[str]) -> SafeString:
    return coloured(match.lastgroup if match.lastgroup != "rest" else "", match.group())
