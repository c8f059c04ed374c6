import time
from datetime import UTC, datetime

import pytest

from messages_app.payloads.comparison.canonical_form import Placeholders
from messages_app.payloads.comparison.ignored import Span
from messages_app.payloads.comparison.results import MAX_PARTS, Comparison, compare_contents, first_difference
from messages_app.payloads.loader import PIECE_BYTES, Opened, TextInMemory
from messages_app.payloads.payload_view import payload_view
from messages_app.shared.xml_parsing import CHECKED_BYTES

# The messages were processed on these two days.
SPAN = Span(datetime(2026, 11, 1, 12, tzinfo=UTC), datetime(2026, 11, 2, 13, tzinfo=UTC))


def opened(text: str | None, *, masked: bool = False) -> Opened:
    view = payload_view(text, masked=masked)
    return Opened(view, TextInMemory((view.content or "").encode()))


def compared(
    left: str | None, right: str | None, *, is_exact: bool = False, masked: bool = False, **ids: dict
) -> Comparison:
    return compare_contents(
        opened(left, masked=masked),
        opened(right, masked=masked),
        is_exact=is_exact,
        own=tuple(Placeholders(ids.get(name, {}), SPAN) for name in ("left_ids", "right_ids")),
    )


LEFT = '<a xmlns="u" x="1" y="2"><at>2026-11-01T12:00:00Z</at><id>10001</id></a>'
RIGHT = '<p:a xmlns:p="u" y="2" x="1">\n <p:at>2026-11-02T13:30:00.5+01:00</p:at><p:id>10002</p:id></p:a>'


def _with_attributes(count: int, value: str) -> str:
    return "<a" + "".join(f' a{number}="{value}"' for number in range(count)) + "/>"


class TestCompare:
    def test_ignores_prefixes_order_blanks_and_times(self):
        comparison = compared(LEFT, RIGHT)
        assert (comparison.count, comparison.form) == (1, "application/xml")
        ids = {"left_ids": {"10001": "[message id]"}, "right_ids": {"10002": "[message id]"}}
        assert compared(LEFT, RIGHT, **ids).count == 0

    def test_shows_them_when_asked_for_exactly(self):
        comparison = compared(LEFT, RIGHT, is_exact=True)
        assert (comparison.count, comparison.form) == (1, "")
        assert comparison.texts.left[1] == "  <at>2026-11-01T12:00:00Z</at>"

    def test_does_not_change_the_layout_of_many_attributes(self):
        """
        Reading each attribute searches all attributes, which would take half a minute within the parser.
        """
        began = time.monotonic()
        comparison = compared(_with_attributes(80_000, "1"), _with_attributes(80_000, "2"))

        assert time.monotonic() - began < 10
        assert (comparison.count, comparison.form) == (1, "")
        assert compared(*[_with_attributes(1000, "1")] * 2).form == "application/xml"
        assert compared(*[_with_attributes(1001, "1")] * 2).form == ""

    def test_reads_text_of_very_many_lines_side_by_side_only(self):
        comparison = compared("\n" * 120_001, "\n" * 120_000)
        assert comparison.texts is None
        assert comparison.first_difference.offset == 120_000
        assert compared("\n" * 120_000, "\n" * 119_000).count == 1

    def test_ignores_the_order_of_members(self):
        comparison = compared('{"a": 1, "b": [2]}', '{"b": [3], "a": 1}')
        assert (comparison.count, comparison.form) == (1, "application/json")

    @pytest.mark.parametrize("other", ["plain\ntext", "<a>", "{"])
    def test_compares_other_text_line_by_line(self, other):
        assert compared("<a/>", other).form == ""
        assert compared(other, f"{other}\nmore").count == 1

    def test_compares_only_the_structure_for_a_masked_reader(self):
        assert compared("<a><b>1</b></a>", "<a><b>2</b></a>", masked=True).count == 0
        assert compared("<a><b>1</b></a>", "<a><c>1</c></a>", masked=True).count == 1
        hidden = compared("<a><b>1</b></a>", '{"a": 1}', masked=True)
        assert "Hidden" in hidden.problem
        assert hidden.texts is None

    def test_names_a_byte_order_mark_of_either_side(self):
        plain, marked = "<a/>", "\ufeff<a/>"
        headline = "No difference apart from a byte order mark"
        assert compared(plain, marked).headline == headline
        assert compared(marked, plain).headline == headline
        assert compared(marked, marked).headline == "No difference"

    def test_shows_what_is_missing(self):
        assert "on the left: Not recorded" in compared(None, "<a/>").problem

    def test_compares_large_texts_by_their_bytes(self):
        large = "<a>" + "x" * CHECKED_BYTES + "</a>"
        comparison = compared(large, large.replace("</a>", "</b>"))
        assert comparison.first_difference.offset == len(large) - 2
        assert comparison.first_difference.left.endswith("</a>")

    @pytest.mark.parametrize(
        "text", ["<a>" + "<b/>" * (MAX_PARTS + 1) + "</a>", f"[{'1,' * (MAX_PARTS + 1)}1]"]
    )
    def test_treats_a_text_of_too_many_parts_as_large(self, text):
        assert compared(text, text).first_difference.offset is None


class TestFirstDifference:
    @pytest.mark.parametrize("at", [0, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 7])
    def test_is_the_first_byte(self, at):
        left = bytearray(b"x" * (PIECE_BYTES + 100))
        right = bytearray(left)
        right[at] = ord("y")
        found = first_difference(TextInMemory(bytes(left)), TextInMemory(bytes(right)))
        assert (found.offset, found.is_complete) == (at, True)

    def test_is_the_end_of_the_shorter_one(self):
        assert first_difference(TextInMemory(b"abc"), TextInMemory(b"abcd")).offset == 3

    def test_is_empty_between_equals(self):
        found = first_difference(TextInMemory(b"abc"), TextInMemory(b"abc"))
        assert (found.offset, found.is_complete) == (None, True)

    def test_stops_in_time(self):
        body = b"x" * (3 * PIECE_BYTES)
        found = first_difference(TextInMemory(body), TextInMemory(body), seconds=0)
        assert (found.offset, found.read_to, found.is_complete) == (None, PIECE_BYTES, False)
