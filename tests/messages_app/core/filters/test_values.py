from datetime import UTC, datetime

import pytest

from messages_app.core.filters.values import (
    InvalidValue,
    Parameter,
    parse_choice,
    parse_flag,
    parse_id,
    parse_ids,
    parse_text,
    parse_time,
)
from messages_app.core.problems import Problem

MIN, MAX = -(2**63), 2**63 - 1
NUMBER = Parameter("msg_id")


class Text:
    name = "actor"
    max_length = 5


class Choice:
    name = "outcome"
    choices = ("done", "refused")


def error_of(parse: object, text: str, one: object) -> tuple[str, str]:
    """Return the code and the words of an invalid value."""
    with pytest.raises(InvalidValue) as error:
        parse(text, one)
    return error.value.code, str(error.value)


class TestParseText:
    def test_returns_texts_up_to_the_longest(self):
        assert [parse_text(text, Text) for text in ("", "a b", "abcde")] == ["", "a b", "abcde"]
        expected = ("too_long", "actor can have at most 5 characters.")
        assert error_of(parse_text, "abcdef", Text) == expected


class TestParseId:
    @pytest.mark.parametrize("number", [0, -1, 5, MIN, MAX])
    def test_returns_whole_numbers_of_the_database(self, number):
        assert parse_id(str(number), NUMBER) == number

    @pytest.mark.parametrize("text", [str(MIN - 1), str(MAX + 1), "9" * 5000, "0" * 21])
    def test_refuses_numbers_out_of_range(self, text):
        expected = ("out_of_range", f"msg_id must be from {MIN} to {MAX}.")
        assert error_of(parse_id, text, NUMBER) == expected

    @pytest.mark.parametrize("text", ["", "+1", " 1", "1.0", "1e3", "--1", "٣", "1\n"])
    def test_refuses_other_texts(self, text):
        code, told = error_of(parse_id, text, NUMBER)
        assert (code, told.startswith("msg_id must be a number, not ")) == ("invalid_value", True)


class TestParseIds:
    def test_returns_each_once_in_the_order_of_the_texts(self):
        assert parse_ids("id", ["3", "1", "03", "2", "1"], most=5) == [3, 1, 2]

    @pytest.mark.parametrize(
        ("texts", "error"),
        [
            ([], ("required", "id is required: choose at least one.")),
            (["1"] * 6, ("out_of_range", "id can have at most 5 values.")),
            (["1", "x"], ("invalid_value", "id must be a number, not 'x'.")),
        ],
    )
    def test_refuses_none_too_many_and_invalid_ones(self, texts, error):
        with pytest.raises(Problem) as problem:
            parse_ids("id", texts, most=5)
        (told,) = problem.value.errors
        assert (problem.value.status, told.field, told.code, told.message) == (400, "id", *error)


class TestParseFlag:
    def test_knows_only_true_and_false(self):
        assert [parse_flag(text, NUMBER) for text in ("true", "false")] == [True, False]
        for text in ("", "True", "1", "yes"):
            assert error_of(parse_flag, text, NUMBER)[0] == "invalid_value"


class TestParseChoice:
    def test_returns_the_choice(self):
        assert [parse_choice(text, Choice) for text in Choice.choices] == ["done", "refused"]
        expected = ("invalid_value", "outcome must be one of done, refused; not 'maybe'.")
        assert error_of(parse_choice, "maybe", Choice) == expected


class TestParseTime:
    @pytest.mark.parametrize(
        ("text", "time"),
        [
            ("2026-11-21T10:05:07Z", datetime(2026, 11, 21, 10, 5, 7, tzinfo=UTC)),
            ("2026-11-21T10:05Z", datetime(2026, 11, 21, 10, 5, tzinfo=UTC)),
            ("2026-11-21T10:05:07.123456+02:30", datetime(2026, 11, 21, 7, 35, 7, 123456, tzinfo=UTC)),
            ("2026-11-21T10:05:07-03:00", datetime(2026, 11, 21, 13, 5, 7, tzinfo=UTC)),
            ("0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC)),
            ("9999-12-31T23:59:59Z", datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ],
    )
    def test_returns_a_time_in_utc(self, text, time):
        parsed = parse_time(text, NUMBER)
        assert (parsed, parsed.tzinfo) == (time, UTC)

    @pytest.mark.parametrize(
        ("text", "code", "words"),
        [
            ("yesterday", "invalid_value", "must be a time like 2026-11-21T10:00:00Z, not 'yesterday'."),
            ("2026-11-21T10:00:00 01:00", "invalid_value", "Write + as %2B."),
            ("2026-11-21T10:00:00", "invalid_value", "needs a time zone, as in 2026-11-21T10:00:00Z."),
            ("2026-02-30T10:00:00Z", "invalid_value", "is not a valid time: '2026-02-30T10:00:00Z'."),
            ("0000-01-01T00:00:00Z", "out_of_range", "must be in the years 0001 to 9999."),
            ("10000-01-01T00:00:00Z", "out_of_range", "must be in the years 0001 to 9999."),
            ("0001-01-01T00:00:00+01:00", "out_of_range", "must be in the years 0001 to 9999."),
        ],
    )
    def test_refuses_other_texts_with_what_is_wrong(self, text, code, words):
        told_code, told = error_of(parse_time, text, Parameter("at_from"))
        assert told_code == code
        assert told.startswith("at_from ")
        assert told.endswith(words)
