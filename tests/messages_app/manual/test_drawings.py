"""A drawing is a part of its page: its texts are texts, and its colours those of the theme."""

import re

from messages_app.manual.chapters import make_chapter
from messages_app.manual.library import read_manual
from messages_app.manual.search import find_sections

FILE = (
    '<svg class="c-drawing" role="img" aria-labelledby="title description">\n'
    '<title id="title">Life</title>\n'
    '<desc id="description">From a to b.</desc>\n'
    "<style>\n.c-drawing {}\n</style>\n"
    "<text>a</text>\n</svg>\n"
)


def markup(text: str) -> str:
    addresses = {"../drawings/life.svg": "/docs/drawings/life.svg"}
    chapter = make_chapter(
        "a", f"# A\n\n{text}", resolve=addresses.get, drawings={"/docs/drawings/life.svg": FILE}
    )
    return str(chapter.markup)


class TestDrawing:
    def test_is_inserted_with_its_texts_but_without_its_title_and_styles(self):
        assert markup('![The life\nof "a"](../drawings/life.svg)') == (
            '<div class="c-prose-drawing" role="group" aria-label="Drawing: The life of &quot;a&quot;"'
            ' tabindex="0">\n'
            '<svg class="c-drawing" role="img" aria-label="The life of &quot;a&quot;"'
            ' aria-describedby="drawing-life">\n'
            '<desc id="drawing-life">From a to b.</desc>\n<text>a</text>\n</svg>\n</div>\n'
        )

    def test_is_found_by_its_texts(self):
        places = find_sections(read_manual(), "requires reprocessing wait is over")
        assert places[0][0].chapter.name == "how_it_works/message_store"
        assert "to 3 queued: wait is over, or the record arrived." in places[0][0].section.text

    def test_is_an_image_within_a_sentence(self):
        assert markup("See ![life](../drawings/life.svg).") == (
            '<p>See <img src="/docs/drawings/life.svg" alt="life" loading="lazy" />.</p>\n'
        )

    def test_is_in_its_pages_of_this_release(self):
        markups = [str(chapter.markup) for chapter in read_manual().chapters.values()]
        ids = [name for page in markups for name in re.findall(r'<desc id="(drawing-\w+)"', page)]
        assert len(ids) >= 9
        assert "drawing-architecture" in ids
        assert [page for page in markups if "<style" in page or 'id="title"' in page] == []
