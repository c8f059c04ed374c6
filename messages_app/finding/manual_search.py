"""The search for chapters of the manual by their titles and headings."""

from collections.abc import Iterator

from messages_app.core.search_results import Hit, Kind
from messages_app.manual.library import read_manual
from messages_app.manual.search import find_headings

MAX_CHAPTERS = 5


def find_chapters(text: str) -> Iterator[Kind]:
    """Yield the headings of the manual that have every word of the text, without those for developers."""
    manual = read_manual()
    places = find_headings(manual, text)
    hits = [
        Hit(
            url=place.address,
            name=place.section.heading,
            about=place.chapter.title if place.section.anchor else manual.group_of(place.chapter),
        )
        for place in places[:MAX_CHAPTERS]
    ]
    if hits:
        yield Kind(
            title="Manual",
            name="documentation",
            hits=hits,
            more=len(places) > MAX_CHAPTERS,
            order="best",
        )
