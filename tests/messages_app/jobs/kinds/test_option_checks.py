"""The values of options at the ends of their ranges, and of other types."""

import pytest

from messages_app.jobs.kinds import option_checks as checks
from messages_app.jobs.kinds.options import OLDER_THAN_MONTHS, REFRESH_ENTITIES, months_words, target_words

MAX_ID = 9_223_372_036_854_775_807
NO_NUMBERS = (True, False, "5", [5], float("nan"))


@pytest.mark.parametrize(
    ("check", "accepted", "refused", "says"),
    [
        (checks.check_months, (1, 1200), (0, 1201, -1), "Must be from 1 to 1200 months."),
        (checks.check_count, (0, 1, MAX_ID), (-1, MAX_ID + 1), f"Must be from 0 to {MAX_ID} messages."),
        (checks.check_canary, (1, 10_000), (0, 10_001), "Must be from 1 to 10000 messages."),
        (
            checks.check_rate,
            (0.01, 1, 100_000),
            (0, 0.009, 100_000.1, float("inf")),
            "Must be from 0.01 to 100000 messages per second.",
        ),
        (checks.check_share, (0, 0.5, 1), (-0.001, 1.001), "Must be from 0 to 1; 0.2 means 20 %."),
        (
            checks.check_names,
            (["x" * 255], ["x"] * 50, []),
            (["x" * 256], ["x"] * 51),
            "At most 50 names, of 255 characters each.",
        ),
    ],
    ids=["months", "count", "canary", "rate", "share", "names"],
)
def test_a_value_is_in_its_range(check, accepted, refused, says):
    assert [check(value) for value in accepted] == [None] * len(accepted)
    assert [check(value) for value in refused] == [("out_of_range", says)] * len(refused)


@pytest.mark.parametrize(
    ("check", "refused", "says"),
    [
        (checks.check_months, (None, 1.0, *NO_NUMBERS), "Enter a whole number of months."),
        (checks.check_count, (None, 1.0, *NO_NUMBERS), "Enter a whole number of messages."),
        (checks.check_canary, (1.0, *NO_NUMBERS), "Enter a whole number of messages."),
        (checks.check_rate, NO_NUMBERS[:4], "Enter a number of messages per second."),
        (checks.check_share, NO_NUMBERS[:4], "Enter a number from 0 to 1."),
        (checks.check_flag, (None, 0, 1, "true"), "Must be true or false."),
        (checks.check_names, ("a", [""], ["a", 5], {"a": 1}), "Must be a list of names."),
        (checks.check_names, (["a", "b\0"], ["\ud800"]), "The names must be UTF-8 without NUL."),
        (checks.one_of("tables", "parquet"), (None, "", "table", ["tables"]), "One of: tables, parquet."),
    ],
    ids=["months", "count", "canary", "rate", "share", "flag", "names", "texts", "one_of"],
)
def test_a_value_has_its_type(check, refused, says):
    assert [check(value) for value in refused] == [("invalid_value", says)] * len(refused)


@pytest.mark.parametrize(
    "check", [checks.check_canary, checks.check_rate, checks.check_share, checks.check_names]
)
def test_no_value_is_accepted_where_it_means_no_limit(check):
    assert check(None) is None


def test_flags_and_choices_accept_their_values():
    assert (checks.check_flag(True), checks.check_flag(False)) == (None, None)
    assert [checks.one_of("tables", "parquet")(value) for value in ("tables", "parquet")] == [None, None]


def test_values_have_words():
    assert [months_words(number) for number in (1, 2, 12)] == ["1 month", "2 months", "12 months"]
    assert OLDER_THAN_MONTHS.in_words(1) == "1 month"
    assert [target_words(name) for name in ("tables", "parquet", "zzz")] == [
        "the archive tables",
        "Parquet files",
        "zzz",
    ]


def test_names_are_a_line_in_their_form():
    names = ["order", 'a "b", c']
    line = REFRESH_ENTITIES.to_form(names)
    assert REFRESH_ENTITIES.from_form(line) == names
    assert (REFRESH_ENTITIES.from_form(None), REFRESH_ENTITIES.to_form(None)) == ([], None)
