"""The search of the manual: by the words of a text on its own pages, by titles and headings elsewhere."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.utils.html import escape
from django.utils.safestring import SafeString

from messages_app.core.markup import format_html, join_markup
from messages_app.manual.chapters import Chapter, Section
from messages_app.manual.library import Manual, address_of_chapter

MAX_QUERY = 150
MAX_CHAPTERS, MAX_SECTIONS = 20, 3
_MAX_WORDS = 10
# Words of questions, which most sections have: left out if the text has others.
_COMMON = (
    *("a", "an", "and", "are", "can", "do", "does", "for", "from", "how", "i", "in", "is"),
    *("it", "my", "of", "on", "or", "the", "to", "what", "when", "which", "will", "with"),
)
# Points for each word of the text that begins a word of the title or the heading.
_IN_TITLE, _IN_HEADING = 6, 9
# More occurrences in a text do not count.
_MAX_COUNT = 3
# Characters of the text around the first word.
_BEFORE, _AFTER = 60, 140


@dataclass(frozen=True, kw_only=True)
class Place:
    """
    A section that was found for a text.

    Attributes:
        has_all_words: whether it has every word of the text.
    """

    chapter: Chapter
    section: Section
    points: int
    has_all_words: bool = True

    @property
    def address(self) -> str:
        anchor = f"#{self.section.anchor}" if self.section.anchor else ""
        return f"{address_of_chapter(self.chapter.name)}{anchor}"


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """The words of a section, each after a space, in small letters."""

    chapter: Chapter
    section: Section
    title: str
    heading: str
    text: str


def find_sections(manual: Manual, text: str) -> list[list[Place]]:
    """
    Return the best sections that have every word of a text, by chapter, those for developers last.

    A word of the text matches the beginnings of words. If no section has every word, the sections with
    the most words are returned if they have more than half of them.
    """
    words = split_words(text)
    places: dict[str, list[Place]] = {}
    for place in sorted(_rate_entries(manual, words), key=_order_of):
        of_chapter = places.setdefault(place.chapter.name, [])
        if len(of_chapter) < MAX_SECTIONS:
            of_chapter.append(place)
    return list(places.values())[:MAX_CHAPTERS]


def find_headings(manual: Manual, text: str) -> list[Place]:
    """
    Return the titles and headings of users' chapters that have every word of a text, the best first.

    A heading may have some of the words and the title of its chapter the others.
    """
    words = split_words(text)
    places = [
        Place(chapter=entry.chapter, section=entry.section, points=_rate_headings(entry, words))
        for entry in _entries_of(manual)
        if not entry.chapter.is_for_developers
        and words
        and all(word in entry.title + entry.heading for word in words)
        and any(word in entry.heading for word in words)
    ]
    return sorted(places, key=_order_of)


def make_index(manual: Manual) -> dict[str, object]:
    """
    Return all that static/js/manual_search.js needs to find the same sections without a console.

    The rule has its numbers here, and its steps twice; a test compares both.
    """
    sections: dict[str, list[Section]] = {}
    for entry in _entries_of(manual):
        sections.setdefault(entry.chapter.name, []).append(entry.section)
    return {
        "points": {"title": _IN_TITLE, "heading": _IN_HEADING, "count": _MAX_COUNT},
        "common": list(_COMMON),
        "most": {"words": _MAX_WORDS, "chapters": MAX_CHAPTERS, "sections": MAX_SECTIONS},
        "excerpt": {"before": _BEFORE, "after": _AFTER},
        "chapters": [
            {
                "name": name,
                "title": manual.chapters[name].title,
                "isForDevelopers": manual.chapters[name].is_for_developers,
                "sections": [[one.anchor, one.heading, one.text] for one in of_chapter],
            }
            for name, of_chapter in sections.items()
        ],
    }


def split_words(text: str) -> list[str]:
    """Return the different words of a text as the sections have them, without common ones unless all are."""
    words = dict.fromkeys(_write_words(text).split())
    rare = [word for word in words if word not in _COMMON]
    return [f" {word}" for word in rare or words][:_MAX_WORDS]


def show_excerpt(place: Place, text: str) -> SafeString:
    """Return the text of a section around the first of the words, with each of the words marked."""
    words = [re.escape(word.strip()) for word in split_words(text)]
    pattern = re.compile(rf"(?<![^\W_])({'|'.join(words)})", re.IGNORECASE)
    plain = place.section.text
    first = pattern.search(plain)
    start = _word_at(plain, first.start() - _BEFORE) if first else 0
    end = _word_at(plain, start + _BEFORE + _AFTER)
    excerpt = plain[start:end]
    parts = pattern.split(excerpt)
    marked = join_markup(
        format_html("<mark>{}</mark>", part) if n % 2 else escape(part) for n, part in enumerate(parts)
    )
    return join_markup(["… " if start else "", marked, "…" if end < len(plain) else ""])


def _word_at(text: str, place: int) -> int:
    """Return where the first word after a place begins; 0 and the length of the text at its ends."""
    if place <= 0:
        return 0
    return text.find(" ", place) + 1 or len(text)


def _write_words(text: str) -> str:
    return re.sub(r"[\W_]+", " ", f" {text.casefold()}")


@lru_cache(maxsize=2)
def _entries_of(manual: Manual) -> tuple[_Entry, ...]:
    return tuple(
        _Entry(
            chapter=chapter,
            section=section,
            title=_write_words(chapter.title),
            heading=_write_words(section.heading),
            text=_write_words(section.text),
        )
        for chapter in manual.reading_order
        if chapter.name not in manual.lists
        for section in chapter.sections
    )


def _rate_entries(manual: Manual, words: Sequence[str]) -> Iterator[Place]:
    counts = [(entry, _count_words(entry, words)) for entry in _entries_of(manual)]
    most = max((count for _, count in counts), default=0)
    for entry, count in counts:
        if count == most > len(words) / 2:
            points = _rate_headings(entry, words) + _rate_text(entry, words)
            has_all_words = count == len(words)
            yield Place(
                chapter=entry.chapter, section=entry.section, points=points, has_all_words=has_all_words
            )


def _count_words(entry: _Entry, words: Sequence[str]) -> int:
    return sum(word in entry.title or word in entry.heading or word in entry.text for word in words)


def _rate_headings(entry: _Entry, words: Sequence[str]) -> int:
    return sum(_IN_TITLE * (word in entry.title) + _IN_HEADING * (word in entry.heading) for word in words)


def _rate_text(entry: _Entry, words: Sequence[str]) -> int:
    return sum(min(entry.text.count(word), _MAX_COUNT) for word in words)


def _order_of(place: Place) -> tuple[bool, int, bool, int]:
    """Order by points; at equal points, the beginning of a chapter and short headings are first."""
    section = place.section
    return place.chapter.is_for_developers, -place.points, bool(section.anchor), len(section.heading)
