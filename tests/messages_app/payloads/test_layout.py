import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.payloads.content_types import TEXT
from messages_app.payloads.layout import PIECE_LINES, Place, lay_out
from messages_app.shared.markup import JSON, XML
from messages_app.shared.tokens import Kind

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
DOCUMENTS = st.recursive(
    LEAVES, lambda one: st.lists(one, max_size=4) | st.dictionaries(st.text(max_size=4), one)
)


def lines_of(text: str, content_type: str = XML) -> list[str]:
    return [line.text for line in lay_out(text, Place(), content_type=content_type, is_end=True).lines]


def in_pieces(text: str, content_type: str, size: int) -> list:
    """Lay out a text in pieces of `size` bytes, as pages do."""
    body, place, pieces = text.encode(), Place(), []
    while place is not None:
        part = body[place.offset : place.offset + size].decode(errors="ignore")
        is_end = place.offset + size >= len(body)
        pieces.append(lay_out(part, place, content_type=content_type, is_end=is_end))
        assert pieces[-1].next is None or pieces[-1].next.offset > place.offset
        place = pieces[-1].next
    return pieces


class TestLayOut:
    def test_indents_elements(self):
        assert lines_of("<a><b>1</b><c/><d></d></a>") == ["<a>", "  <b>1</b>", "  <c/>", "  <d></d>", "</a>"]

    def test_keeps_text_among_elements_on_their_line(self):
        assert lines_of("<p>one <b>two</b> three</p>") == ["<p>one <b>two</b> three</p>"]

    def test_omits_only_blanks_between_elements(self):
        assert lines_of("<a>\n\t<b> x </b>\r\n</a>") == ["<a>", "  <b> x </b>", "</a>"]

    def test_keeps_the_lines_of_a_value(self):
        assert lines_of("<a>1\n2</a>") == ["<a>1", "2</a>"]

    def test_shows_comments_instructions_and_doctypes_unchanged(self):
        text = "<?xml version='1.0'?><!DOCTYPE html><!-- <x> --><a><![CDATA[<y>]]></a>"
        assert lines_of(text) == [
            "<?xml version='1.0'?>",
            "<!DOCTYPE html>",
            "<!-- <x> -->",
            "<a><![CDATA[<y>]]></a>",
        ]

    def test_indents_json_with_names_in_their_order_even_repeated_ones_and_numbers_as_written(self):
        text = '{"b":1.10,"a":[],"b":{"x":123456789012345678901234567890},"c":[1,{}]}'
        assert lines_of(text, JSON) == [
            "{",
            '  "b": 1.10,',
            '  "a": [],',
            '  "b": {',
            '    "x": 123456789012345678901234567890',
            "  },",
            '  "c": [',
            "    1,",
            "    {}",
            "  ]",
            "}",
        ]

    @given(DOCUMENTS)
    def test_keeps_the_meaning_of_json(self, document):
        text = json.dumps(document)
        assert json.loads("\n".join(lines_of(text, JSON))) == document

    def test_keeps_the_lines_of_other_text(self):
        assert lines_of("UNA\n  <x>\n", TEXT) == ["UNA", "  <x>", ""]

    def test_formats_invalid_text_up_to_the_error(self):
        assert lines_of("<a><b>1</c></a></a><d") == ["<a>", "  <b>1</c>", "</a>", "</a>", "<d"]

    def test_limits_indentation(self):
        lines = lay_out("<a>" * 900, Place(), content_type=XML, is_end=True).lines
        assert (lines[-1].depth, len(lines[-1].text)) == (899, 83)

    @pytest.mark.parametrize("size", [16, 40, 97])
    def test_returns_the_same_in_pieces_as_completely(self, size):
        text = "<list>" + "".join(f"<item n='{n}'><sub>ž{n}</sub><e/></item>" for n in range(60)) + "</list>"
        pieces = in_pieces(text, XML, size)
        shown = "".join(line.text.strip() for piece in pieces for line in piece.lines)
        assert shown == text
        assert {line.depth for line in pieces[-1].lines[-1:]} == {0}

    @pytest.mark.parametrize("size", [16, 40, 97])
    def test_keeps_strings_whole_across_pieces(self, size):
        document = [{"text": "a, b: {c} [d]" * 5, "n": n} for n in range(20)]
        pieces = in_pieces(json.dumps(document), JSON, size)
        assert json.loads("".join(line.text for piece in pieces for line in piece.lines)) == document

    def test_continues_line_numbers_and_depth(self):
        text = "<a>" + "<b/>" * (2 * PIECE_LINES) + "</a>"
        first, second, third = in_pieces(text, XML, 1_000_000)
        assert (first.next.line, first.next.depth) == (PIECE_LINES + 1, 1)
        assert [line.text for line in second.lines[:1]] == ["  <b/>"]
        assert [line.text for line in third.lines] == ["  <b/>", "</a>"]

    def test_also_limits_the_lines_of_one_value(self):
        first, *_ = in_pieces("<a>" + "x\n" * 5000 + "</a>", XML, 1_000_000)
        assert len(first.lines) == PIECE_LINES

    def test_continues_within_a_tag(self):
        piece = lay_out('c="1"/><d/>', Place(depth=2, inside=Kind.START), content_type=XML, is_end=True)
        assert [(line.depth, line.text) for line in piece.lines] == [(2, 'c="1"/>'), (1, "  <d/>")]

    @pytest.mark.parametrize("text", ["<a>" * 11_000, "<a><b>" + "x" * 32_000, "<a " + 'b="1" ' * 5000])
    def test_is_fast_for_a_piece_of_anything(self, text):
        began = time.process_time()
        lay_out(text[: 32 * 1024], Place(), content_type=XML, is_end=False)
        assert time.process_time() - began < 5
