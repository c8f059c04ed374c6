"""Stored text as markup: escaped, with marks for invisible characters."""

import re
from datetime import datetime

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from messages_app.core.markup import format_html, show_time
from messages_app.payloads.code_points import name_of
from messages_app.shared.visible_text import INVISIBLE

# White space in a name that looks like a blank, but is another character; and any at its ends.
_ODD_BLANKS = re.compile(r"([^\S ])\1*+")


# An id of more characters is shown with its last ones.
_WHOLE_ID, _END_OF_ID = 16, 10
# No column has room for more.
_START_OF_ID = 100

# Slashes of an address, without those of closing tags.
_PARTS_OF_ADDRESS = re.compile(r"(?<=[^</])/(?=[^/>])")
# Not between the two slashes of an address.
_ENDS_OF_PARTS = re.compile(r"(?:(?<=[@,;&?=])|(?<=\S/)(?!/)|(?<=[a-z]\.)(?=[A-Za-z]))(?!$)")

_RUN = re.compile(r"(\s)\1*+")
_NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"
# Between groups of three digits. A name has marks for it, too.
_IN_NUMBER = re.compile(rf"(?<=\d){_NARROW_SPACE}(?=\d{{3}}(?!\d))")


def mark_invisible(text: str) -> SafeString:
    """Return `text` escaped, with marks for invisible characters, except in numbers as pages write them."""
    parts = _IN_NUMBER.split(escape(text))
    return mark_safe(_NARROW_SPACE.join(INVISIBLE.sub(_show_invisible, part) for part in parts))  # noqa: S308 (escaped here)


def mark_name(text: str) -> SafeString:
    """Return a name escaped, with marks for all that makes it different from one that looks the same."""
    body = text.strip()
    start = len(text) - len(text.lstrip())
    ends = (_RUN.sub(_show_invisible, end) for end in (text[:start], text[start + len(body) :]))
    return mark_safe(_ODD_BLANKS.sub(_show_invisible, mark_invisible(body)).join(ends))  # noqa: S308 (escaped here)


def cut_id(identifier: str) -> SafeString:
    """Return an id whose end stays visible in a narrow column, because long ids differ there."""
    if len(identifier) <= _WHOLE_ID:
        return mark_invisible(identifier)
    start, end = identifier[:-_END_OF_ID], identifier[-_END_OF_ID:]
    return format_html(
        '<span class="u-id-start">{}</span>{}', mark_invisible(start[:_START_OF_ID]), mark_invisible(end)
    )


def break_address(text: str) -> SafeString:
    """Return a text that may be broken after each part of an address in it, not within one."""
    return mark_safe(_PARTS_OF_ADDRESS.sub("/<wbr>", mark_invisible(text)))  # noqa: S308 (escaped by mark_invisible)


def break_name(text: str) -> SafeString:
    """Return a name of words with underscores that may be broken after each word, not within one."""
    return mark_safe(mark_invisible(text).replace("_", "_<wbr>"))  # noqa: S308 (escaped by mark_invisible)


def break_value(text: str) -> SafeString:
    """Return a value that may be broken after each part of an address, a path, a module or a list."""
    return mark_safe("<wbr>".join(map(mark_invisible, _ENDS_OF_PARTS.split(text))))  # noqa: S308 (escaped by mark_invisible)


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
    return f'<span class="c-unseen-mark"{title}>U+{ord(run[0]):04X}{times}</span>'


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
