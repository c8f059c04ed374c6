"""
Drawings within a chapter: their texts are texts of the page, and their colours those of its theme.

`make drawings` writes the files, which readers of the repository see on their own: with a title, and with
styles that the policy of pages refuses. Pages have these in static/css/drawings.css.
"""

import html
import re

from django.utils.safestring import SafeString, mark_safe

from messages_app.core.markup import format_html

FOLDER = "drawings/"
_LEFT_OUT = re.compile(r"<title\b.*?</title>\n|<style>.*?</style>\n", re.DOTALL)
_DESCRIPTION = 'id="description"'
_WORDS = re.compile(rf"<desc {_DESCRIPTION}>(.*?)</desc>")
_LABELS = 'aria-labelledby="title description"'


def describe_drawing(text: str) -> str:
    """Return the arrows of a drawing in words, from the text of its file; empty if it has none."""
    words = _WORDS.search(text)
    return html.unescape(words[1]) if words else ""


def show_drawing(name: str, text: str, *, label: str) -> SafeString:
    """
    Return the markup of a drawing, which scrolls in its frame on a narrow screen.

    Args:
        name: of its file, which is unique in a page.
        text: of its file.
        label: its text alternative; its description lists its arrows.
    """
    own_id = f"drawing-{name}"
    labels = format_html('aria-label="{}" aria-describedby="{}"', label, own_id)
    text = _LEFT_OUT.sub("", text).replace(_LABELS, labels).replace(_DESCRIPTION, f'id="{own_id}"')
    # The file is a part of the release, and the policy of pages refuses scripts and styles in it.
    drawing = mark_safe(text)  # noqa: S308
    return format_html(
        '<div class="c-prose-drawing" role="group" aria-label="Drawing: {}" tabindex="0">\n{}</div>\n',
        label,
        drawing,
    )
