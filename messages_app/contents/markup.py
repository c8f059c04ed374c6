"""Stored text as markup: escaped, with marks for the characters that nobody would see."""

import re

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

# Control characters, marks that turn the reading direction, blanks without width, line ends of other kinds.
# A run of one of them is one mark.
_INVISIBLE = re.compile(
    "([\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff])\\1*+"
)


def marked(text: str) -> SafeString:
    """Return `text` escaped, with marks for the characters in it that nobody would see."""
    return mark_safe(_INVISIBLE.sub(_visible, escape(text)))  # noqa: S308 (escaped here)


def coloured(colour: str, text: str) -> SafeString:
    """Return `text` as `marked` does, in a span of the class `colour`; without one where it is empty."""
    markup = marked(text)
    return mark_safe(f'<span class="{colour}">{markup}</span>') if colour and text else markup  # noqa: S308 (escaped above)


def _visible(match: re.Match[str]) -> str:
    run = match.group()
    times = f" ×{len(run)}" if len(run) > 1 else ""
    return f'<span class="invisible-mark">U+{ord(run[0]):04X}{times}</span>'
