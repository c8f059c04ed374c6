import pytest
from django.http import QueryDict

from messages_app.core.problems import Problem
from messages_app.payloads.layout import Place
from messages_app.payloads.view_params import Form, ViewParams, parse_view_params
from messages_app.shared.tokens import CONTINUED

LAST = sorted(CONTINUED)[-1]


def parse(query: str) -> ViewParams:
    return parse_view_params(QueryDict(query))


class TestParseViewParams:
    def test_has_defaults(self):
        assert parse("") == ViewParams(form=None, place=None, word="", search_from=0)

    def test_reads_each_parameter_into_its_place(self):
        query = f"view=hex&from=11&line=22&depth=33&inside={LAST}&find=a+word&find_from=44"
        assert parse(query) == ViewParams(
            form=Form.HEX,
            place=Place(offset=11, line=22, depth=33, inside=LAST),
            word="a word",
            search_from=44,
        )

    @pytest.mark.parametrize("form", Form)
    def test_knows_each_form(self, form):
        assert parse(f"view={form}").form is form

    @pytest.mark.parametrize("kind", sorted(CONTINUED))
    def test_knows_each_kind_in_which_a_piece_can_begin(self, kind):
        assert parse(f"from=1&inside={kind}").place.inside is kind

    def test_has_a_place_only_with_its_offset(self):
        assert parse("from=5").place == Place(offset=5, line=None, depth=0, inside=None)
        assert parse("line=5&depth=6").place is None

    @pytest.mark.parametrize(
        ("text", "number"), [("0", 0), ("0x1f40", 8000), ("0x10", 16), ("10", 10), ("2147483647", 2**31 - 1)]
    )
    def test_reads_decimal_and_hexadecimal_numbers(self, text, number):
        assert parse(f"find_from={text}").search_from == number

    @pytest.mark.parametrize("name", ["from", "line", "depth", "find_from"])
    @pytest.mark.parametrize(
        "text", ["-1", "1.0", "x", "2147483648", "0x80000000", "0x", "1f", "9" * 11, "+1"]
    )
    def test_refuses_other_numbers(self, name, text):
        other = {} if name == "from" else {"from": "1"}
        params = QueryDict(mutable=True)
        params.update(other | {name: text})
        with pytest.raises(Problem) as problem:
            parse_view_params(params)
        (error,) = problem.value.errors
        assert (problem.value.status, error.field, error.code) == (400, name, "invalid_value")

    @pytest.mark.parametrize(
        ("query", "field", "code"),
        [
            ("view=laid", "view", "invalid_value"),
            ("from=1&inside=nothing", "inside", "invalid_value"),
            ("find=" + "x" * 201, "find", "too_long"),
        ],
    )
    def test_names_what_is_wrong(self, query, field, code):
        with pytest.raises(Problem) as problem:
            parse(query)
        (error,) = problem.value.errors
        assert (error.field, error.code) == (field, code)

    def test_finds_words_of_200_characters(self):
        assert parse("find=" + "x" * 200).word == "x" * 200
