"""The markup of the pages of the manual, for the console and for its export. They need no request."""

from collections.abc import Mapping

from django.template.loader import render_to_string

from messages_app.manual.chapters import Chapter
from messages_app.manual.library import Manual


def write_chapter(chapter: Chapter, manual: Manual, *, is_exported: bool = False) -> str:
    """Return the page of a chapter."""
    before, after = _neighbours_of(chapter, manual)
    context = {"chapter": chapter, "before": before, "after": after}
    return write_page("messages_app/manual/chapter.html", manual, context, is_exported=is_exported)


def write_page(
    template: str, manual: Manual, context: Mapping[str, object], *, is_exported: bool = False
) -> str:
    """
    Return a page in the frame of the manual.

    Args:
        is_exported: it is read without a console, so it has no link to one.
    """
    # Without the request: its context processors would read the session.
    return render_to_string(template, {"groups": manual.groups, "is_exported": is_exported, **context})


def _neighbours_of(chapter: Chapter, manual: Manual) -> tuple[Chapter | None, Chapter | None]:
    """Return the chapters before and after one of a reader's; None at the ends, and for others."""
    chapters = [one for group in manual.groups for one in group.chapters]
    if chapter not in chapters:
        return None, None
    n = chapters.index(chapter)
    return (chapters[n - 1] if n else None), (chapters[n + 1] if n + 1 < len(chapters) else None)
