from datetime import UTC, datetime

import pytest
from django.http import QueryDict

from messages_app.core.filters.table import (
    Filter,
    describe_parameters,
    filters_by_name,
    json_shapes,
    make_lookups,
    parse_filters,
    read_filters,
    text_filter,
    time_range,
    write_values,
)
from messages_app.core.filters.values import parse_choice, parse_flag, parse_id
from messages_app.core.problems import Problem

FILTERS = filters_by_name(
    Filter(name="kind", lookup="", parse=parse_choice, choices=("a", "b"), repeatable=True),
    text_filter("name", 5),
    Filter(name="key", lookup="pk", parse=parse_id),
    *time_range("at"),
    Filter(name="open", lookup="open", parse=parse_flag),
)


class TestReadFilters:
    def test_returns_values_by_name(self):
        assert read_filters(FILTERS, QueryDict("name=x&page=2"), other_parameters={"page"}) == {"name": "x"}

    def test_reports_every_invalid_parameter(self):
        with pytest.raises(Problem) as raised:
            read_filters(FILTERS, QueryDict("name=too+long&nmae=x"))
        assert sorted(error.field for error in raised.value.errors) == ["name", "nmae"]


class TestRead:
    def test_returns_values_by_name(self):
        values, errors = parse_filters(FILTERS, QueryDict("kind=b,a&kind=b&name=x&key=7&open=false"))
        assert errors == []
        assert values == {"kind": ("b", "a"), "name": "x", "key": 7, "open": False}

    def test_accepts_a_range_of_one_moment_and_a_range_with_one_end(self):
        for query in (
            "at_from=2026-01-02T00:00Z&at_to=2026-01-02T00:00Z",
            "at_from=2026-01-02T00:00Z&at_to=2026-01-03T00:00Z",
            "at_from=2026-01-02T00:00Z",
            "at_to=2026-01-02T00:00Z",
        ):
            assert parse_filters(FILTERS, QueryDict(query))[1] == [], query

    def test_leaves_other_parameters_to_the_caller(self):
        assert parse_filters(FILTERS, QueryDict("cursor=x"), other_parameters={"cursor"}) == ({}, [])

    @pytest.mark.parametrize(
        ("query", "field", "code"),
        [
            ("zzz=1", "zzz", "unknown_parameter"),
            ("name=a&name=b", "name", "ambiguous_parameter"),
            ("name=", "name", "required"),
            ("name=%00", "name", "invalid_value"),
            ("name=abcdef", "name", "too_long"),
            ("kind=a,c", "kind", "invalid_value"),
            ("kind=a,", "kind", "required"),
            (f"key={-(2**63) - 1}", "key", "out_of_range"),
            ("open=1", "open", "invalid_value"),
            ("at_from=now", "at_from", "invalid_value"),
            ("at_from=2026-01-02T00:00Z&at_to=2026-01-01T00:00Z", "at_from", "invalid_value"),
        ],
    )
    def test_names_what_is_wrong(self, query, field, code):
        _, (error,) = parse_filters(FILTERS, QueryDict(query))
        assert (error.field, error.code) == (field, code)

    def test_names_all_that_is_wrong(self):
        _, errors = parse_filters(FILTERS, QueryDict("zzz=1&key=x&open=1"))
        assert [error.field for error in errors] == ["zzz", "key", "open"]


class TestWords:
    def test_writes_values_as_the_address_has_them_in_the_tables_order(self):
        moment = datetime(2026, 11, 1, 12, tzinfo=UTC)
        values = {"open": False, "at_to": moment, "key": 7, "kind": ("a", "b")}
        assert write_values(FILTERS, values) == [
            ("kind", "a,b"),
            ("key", "7"),
            ("at_to", "2026-11-01T12:00:00Z"),
            ("open", "false"),
        ]


class TestLookups:
    def test_returns_plain_lookups(self):
        moment = datetime(2026, 11, 1, tzinfo=UTC)
        values = {"kind": ("a",), "key": 7, "at_from": moment, "open": True}
        assert make_lookups(FILTERS, values) == {"pk": 7, "at__gte": moment, "open": True}


class TestMostValues:
    FILTERS = filters_by_name(
        Filter(
            name="key", lookup="pk__in", parse=parse_id, repeatable=True, most_values=2, description="Keys."
        ),
        Filter(name="size", lookup="size", parse=parse_id, least=3, most=9),
        text_filter("name", 5),
        *time_range("at"),
        Filter(name="kind", lookup="", parse=parse_choice, choices=("a", "b")),
        Filter(name="open", lookup="open", parse=parse_flag),
    )

    def test_are_counted_over_repetitions_and_commas(self):
        assert parse_filters(self.FILTERS, QueryDict("key=1,2")) == ({"key": (1, 2)}, [])
        _, (error,) = parse_filters(self.FILTERS, QueryDict("key=1,2&key=2"))
        assert (error.field, error.code, error.message) == (
            "key",
            "out_of_range",
            "key can have at most 2 values.",
        )

    def test_are_in_the_description_of_a_body(self):
        identifier = {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}
        moment = {"type": "string", "format": "date-time"}
        assert json_shapes(self.FILTERS) == {
            "key": {"anyOf": [identifier, {"type": "array", "items": identifier}]},
            "size": identifier,
            "name": {"type": "string", "minLength": 1, "maxLength": 5},
            "at_from": moment,
            "at_to": moment,
            "kind": {"type": "string", "enum": ["a", "b"]},
            "open": {"type": "boolean"},
        }

    def test_are_in_the_description_of_an_address(self):
        key, *_, start, end, kind, flag = describe_parameters(self.FILTERS)
        assert (key.name, key.description) == (
            "key",
            "Keys. Repeat the parameter or separate values with commas.",
        )
        assert key.type["type"] == "array"
        assert (start.name, start.description) == ("at_from", "With a UTC offset.")
        assert [end.name, kind.name, flag.name] == ["at_to", "kind", "open"]
        assert kind.type == {"type": "string", "enum": ["a", "b"]}

    def test_may_be_numbers_between_limits(self):
        def parse_size(text: str, one: Filter) -> int:
            return int(text)

        sized = filters_by_name(
            Filter(name="size", lookup="size", parse=parse_size, least=3, most=9),
            Filter(name="note", lookup="note", parse=parse_size, max_length=4),
        )
        assert json_shapes(sized) == {
            "size": {"type": "integer", "minimum": 3, "maximum": 9},
            "note": {"type": "string", "minLength": 1, "maxLength": 4},
        }
