"""The page of one content, with places and numbers that all differ."""

from types import SimpleNamespace

from messages_app.payloads.payload_view import PayloadView
from messages_app.payloads.text_search import Hit, Hits
from tests.support.page_outlines import outline_of, show_block


def hit(number: int, *, line: int | None) -> Hit:
    return Hit(
        offset=1_000 + number,
        line=line,
        line_offset=900 + number,
        tag_offset=800 + number,
        before=f"before {number} ",
        word=f"word {number}",
        after=f" after {number}",
    )


HITS = Hits(
    listed=[hit(11, line=1_301), hit(12, line=None)], count=1_402, searched_to=5_503, is_complete=False
)
LISTED = [(HITS.listed[0], "?first", "BGM message"), (HITS.listed[1], "?second", "")]
VIEW = PayloadView(content="text", content_type="text/plain", bytes=12_345, masked=False)


def viewer(**values: object) -> SimpleNamespace:
    shown = {
        "source": SimpleNamespace(size=9_604),
        "forms": [
            {"form": "raw", "title": "Raw", "query": "?view=raw"},
            {"form": "hex", "title": "Hex", "query": "?view=hex"},
        ],
        "form": "raw",
        "word": "w",
        "max_word": 201,
        "may_be_folded": False,
        "hits": None,
        "listed_hits": [],
        "anchor": "hit-here",
        "search_on_query": "?on",
        "form_query": "?form",
        "fault_query": "?fault",
        "has_text_before": False,
        "place": SimpleNamespace(offset=2_705),
        "previous_query": None,
        "next_query": None,
        "lines": "the lines",
        "rows": [SimpleNamespace(offset="00000010", octets="3c 61", text="<a")],
        "percent": 46,
    }
    return SimpleNamespace(**shown | values)


def show(view: PayloadView = VIEW, **values: object) -> str:
    context = {
        "title": "Payload",
        "box": "p",
        "address": "/payload/",
        "is_part": False,
        "compare_address": "/compare/",
    }
    shown = viewer(**{name: value for name, value in values.items() if name not in _OF_PAGE})
    page = {name: values[name] for name in _OF_PAGE & set(values)}
    return show_block("messages_app/payloads/content.html", view=view, viewer=shown, **context | page)


_OF_PAGE = {"is_part", "compare_address", "is_not_downloaded", "sent_to"}


class TestContent:
    def test_shows_all_its_values(self):
        assert outline_of(
            show(
                sent_to="https://x.example.org",
                previous_query="?previous",
                has_text_before=True,
                next_query="?next",
            )
        ) == [
            "Sent to https://x.example.org",
            "(label: View of the payload) * [Raw](/payload/?view=raw)[Hex](/payload/?view=hex)",
            "12.3 kB · text/plain",
            "(/payload/)",
            "Find in the payload",
            "<find=w>",
            "* (title: Copy the lines below) Copy",
            "[Compare](/compare/) [Download](/payload/download/)",
            (
                "Starts at byte 2 705 of 9 604. [Previous part](/payload/?previous) · [Back to the "
                "beginning](/payload/?form)"
            ),
            "the lines",
            "(get /payload/?next) [Show more](/payload/?next) Shown up to 46 % of 12.3 kB",
            "(/payload/)",
            "Go to byte",
            "<from> (title: 0 or greater; hexadecimal as 0x1f40)",
            "Go",
        ]

    def test_is_short_if_it_is_small(self):
        assert outline_of(show(compare_address="", is_not_downloaded=True)) == [
            "(label: View of the payload) * [Raw](/payload/?view=raw)[Hex](/payload/?view=hex)",
            "12.3 kB · text/plain",
            "(/payload/)",
            "Find in the payload",
            "<find=w>",
            "* (title: Copy the lines below) Copy",
            "the lines",
        ]

    def test_shows_bytes_without_a_button_that_copies(self):
        assert outline_of(show(form="hex", has_text_before=True)) == [
            "(label: View of the payload) [Raw](/payload/?view=raw)* [Hex](/payload/?view=hex)",
            "12.3 kB · text/plain",
            "(/payload/)",
            "Find in the payload",
            "<find=w>",
            "[Compare](/compare/) [Download](/payload/download/)",
            "Starts at byte 2 705 of 9 604. [Back to the beginning](/payload/?form)",
            "00000010 3c 61 <a",
            "(/payload/)",
            "Go to byte",
            "<from> (title: 0 or greater; hexadecimal as 0x1f40)",
            "Go",
        ]

    def test_folds_only_what_has_depths(self):
        assert [line for line in outline_of(show(may_be_folded=True)) if "all" in line] == [
            "* (title: Fold all) Fold all",
            "* (title: Unfold all) Unfold all",
        ]
        assert "data-foldable" in show(may_be_folded=True)
        assert "data-foldable" not in show()

    def test_shows_where_it_is_not_well_formed(self):
        fault = SimpleNamespace(before="abc", at="<", after="def")
        view = PayloadView(
            content="text",
            content_type="text/plain",
            bytes=12_345,
            masked=False,
            problem="Not XML.",
            fault=fault,
        )
        assert outline_of(show(view))[:4] == [
            "Not XML.",
            "Location: …abc<def…",
            "[Show the location in the raw text](/payload/?fault)",
            "(label: View of the payload) * [Raw](/payload/?view=raw)[Hex](/payload/?view=hex)",
        ]
        without = PayloadView(content=None, content_type=None, bytes=0, masked=False, problem="Empty.")
        assert outline_of(show(without)) == [
            "Empty.",
        ]

    def test_replaces_the_box_of_a_part(self):
        assert "hx-target" not in show()
        assert show(is_part=True, next_query="?next").count('hx-target="closest .c-content"') == 4


class TestHits:
    def lines(self, **values: object) -> list[str]:
        lines = outline_of(show(**{"hits": HITS, "listed_hits": LISTED} | values))
        return lines[lines.index("[Compare](/compare/) [Download](/payload/download/)") + 1 :]

    def test_shows_all_values_of_each_hit(self):
        assert self.lines() == [
            (
                "At least 1 402 matches for w up to byte 5 503. [Continue searching](/payload/?on) "
                "[Close](/payload/?form)"
            ),
            "[Line 1 301](/payload/?first#hit-here) BGM message before 11 word 11 after 11",
            "[Byte 1 012](/payload/?second#hit-here) before 12 word 12 after 12",
            "The first 2 are listed.",
            "the lines",
        ]
        assert self.lines(form="hex")[2:4] == [
            "[Byte 1 012](/payload/?second#hit-here) before 12 word 12 after 12",
            "The first 2 are listed.",
        ]

    def test_says_that_all_was_searched(self):
        whole = Hits(listed=HITS.listed, count=2, searched_to=9_604, is_complete=True)
        assert self.lines(hits=whole) == [
            "2 matches for w. [Close](/payload/?form)",
            "[Line 1 301](/payload/?first#hit-here) BGM message before 11 word 11 after 11",
            "[Byte 1 012](/payload/?second#hit-here) before 12 word 12 after 12",
            "the lines",
        ]
        one = Hits(listed=HITS.listed[:1], count=1, searched_to=9_604, is_complete=True)
        assert self.lines(hits=one, listed_hits=LISTED[:1])[0] == "1 match for w. [Close](/payload/?form)"

    def test_says_that_it_is_empty(self):
        assert self.lines(hits=Hits(searched_to=9_604, is_complete=True)) == [
            "No matches for w. [Close](/payload/?form)",
            "the lines",
        ]
        assert (
            self.lines(hits=Hits(searched_to=9_604))[0]
            == "No matches for w up to byte 9 604. [Close](/payload/?form)"
        )
        assert self.lines(hits=Hits(searched_to=9_603))[0] == (
            "No matches for w up to byte 9 603. [Continue searching](/payload/?on) [Close](/payload/?form)"
        )
