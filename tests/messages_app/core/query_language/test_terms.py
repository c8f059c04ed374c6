import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.core.query_language.terms import format_term, split_terms


def cut(line: str) -> list[tuple[str, str]]:
    return [(term.key, term.value) for term in split_terms(line)]


class TestTerms:
    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            ("", []),
            ("  a:b \t c:d ", [("a", "b"), ("c", "d")]),
            ("a:", [("a", "")]),
            (":b", [("", ":b")]),
            ("at:10:00", [("at", "10:00")]),
            ('a:"b c"', [("a", "b c")]),
            ('"b \\" c \\\\"', [("", 'b " c \\')]),
            ("word", [("", "word")]),
        ],
    )
    def test_separates_keys_and_values(self, line, expected):
        assert cut(line) == expected

    @pytest.mark.parametrize(
        ("line", "place"), [('a:"b', (0, 4)), ('x:1 "b c', (4, 8)), ('a:"b"c', (0, 5)), ('ab"c"', (0, 2))]
    )
    def test_reports_where_quotes_are_wrong(self, line, place):
        wrong = next(term for term in split_terms(line) if term.problem)
        assert (wrong.start, wrong.end) == place

    @given(st.text(alphabet=st.sampled_from('ab:" \\\n'), max_size=30))
    def test_leaves_nothing_out(self, line):
        places = [place for term in split_terms(line) for place in range(term.start, term.end)]
        assert len(places) == len(set(places))
        assert "".join(line[place] for place in sorted(set(range(len(line))) - set(places))).strip() == ""


class TestAsTerm:
    @given(st.text(min_size=1).filter(lambda text: "\0" not in text))
    def test_is_read_as_one_term_of_that_value(self, value):
        (term,) = split_terms(format_term("key", value))
        assert (term.key, term.value, term.problem) == ("key", value, "")
        (term,) = split_terms(format_term("", value))
        assert (term.key, term.value, term.quoted, term.problem) == ("", value, True, "")
