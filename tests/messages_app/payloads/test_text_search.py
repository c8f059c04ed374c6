import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.payloads import text_search
from messages_app.payloads.loader import PIECE_BYTES, TextInMemory
from messages_app.payloads.text_search import LISTED_HITS, MAX_HITS, search_text


def found(text: str, word: str, **options: object) -> list[int]:
    return [hit.offset for hit in search_text(TextInMemory(text.encode()), word, **options).listed]


class TestSearch:
    @given(st.text(alphabet="aAbž", max_size=40), st.text(alphabet="aAbž", min_size=1, max_size=3))
    def test_finds_every_place_whatever_the_case(self, text, word):
        at, expected = text.lower().find(word.lower()), []
        while at >= 0:
            expected.append(len(text[:at].encode()))
            at = text.lower().find(word.lower(), at + len(word))
        assert found(text, word) == expected

    def test_quotes_the_context_and_names_the_line(self):
        hits = search_text(TextInMemory("<a>\n<b>žluť 4711 kůň</b>\n</a>".encode()), "4711")
        (hit,) = hits.listed
        assert (hit.before, hit.word, hit.after) == ("<a>\n<b>žluť ", "4711", " kůň</b>\n</a>")
        assert (hit.line, hit.line_offset, hit.tag_offset) == (2, 4, 4)
        assert (hits.count, hits.is_complete) == (1, True)

    @pytest.mark.parametrize("shift", range(-8, 3))
    def test_finds_a_word_across_two_pieces_once(self, shift):
        start = "ž" * ((PIECE_BYTES + shift) // 2) + "x" * (shift % 2)
        assert found(f"{start}Needle!", "needle") == [len(start.encode())]

    def test_counts_lines_across_pieces(self):
        text = "\n" * (PIECE_BYTES + 10) + "needle"
        (hit,) = search_text(TextInMemory(text.encode()), "needle").listed
        assert hit.line == PIECE_BYTES + 11

    def test_lists_the_first_matches_and_counts_a_limited_number(self):
        hits = search_text(TextInMemory(b"ab" * (MAX_HITS + 5)), "a")
        assert (len(hits.listed), hits.count, hits.is_complete) == (LISTED_HITS, MAX_HITS, False)

    def test_opens_a_long_line_shortly_before_the_match(self):
        near = text_search._NEAR
        for before, start in ((near - 1, 0), (near, 0), (near + 1, 1), (near + 700, 700)):
            (hit,) = search_text(TextInMemory(b"x" * before + b"needle"), "needle").listed
            assert (hit.offset, hit.line_offset, hit.tag_offset) == (before, start, before)

    def test_begins_at_the_given_place(self):
        text = "needle " * 3
        hits = search_text(TextInMemory(text.encode()), "needle", start=3)
        assert [hit.offset for hit in hits.listed] == [7, 14]
        assert hits.listed[0].line is None

    def test_stops_in_time_and_reports_its_progress(self):
        source = TextInMemory(b"x" * (3 * PIECE_BYTES))
        hits = search_text(source, "y", seconds=0)
        assert (hits.searched_to, hits.is_complete) == (0, False)
        on = search_text(source, "y", start=hits.searched_to)
        assert (on.searched_to, on.is_complete) == (source.size, True)

    @pytest.mark.parametrize("letter", ["x", "ž", "\U0001f600"])
    def test_reads_20_megabytes_in_a_second(self, letter):
        source = TextInMemory((letter * (20_000_000 // len(letter.encode()))).encode())
        began = time.process_time()
        hits = search_text(source, "needle")
        assert time.process_time() - began < 10
        assert hits.searched_to > 4 * PIECE_BYTES or hits.searched_to == source.size
        assert text_search.SEARCH_SECONDS < 1
