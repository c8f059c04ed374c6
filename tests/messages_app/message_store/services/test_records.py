"""Records are read from rows with their keys, references and children; every error names its place."""

import pytest

from messages_app.message_store.errors import AttemptFailed
from messages_app.message_store.services.records import Key, Record, key_text, records_of
from tests.support.stores import define

pytestmark = pytest.mark.django_db


def errors_of(definition, *rows: object) -> tuple[int, list[str]]:
    with pytest.raises(AttemptFailed) as failed:
        records_of(definition, iter(rows))
    return failed.value.status, failed.value.errors


class TestRecordsOf:
    def test_reads_keys_references_and_children(self):
        order = define(
            "crm",
            "order",
            json_schema={},
            key_fields=["number", "year"],
            references={"customer": "customer", "parts": "part"},
            children={"lines": "line"},
        )
        define("crm", "line", json_schema={}, references={"article": "article"})
        define("erp", "line", json_schema={}, key_fields=["other"])
        rows = [
            {
                "number": 7,
                "year": "2026",
                "customer": "c",
                "parts": [1, [2, "b"]],
                "lines": [{"id": 1, "article": 5}, {"id": 2}],
                "text": "é",
            },
            {"number": 8, "year": "2026", "customer": None, "lines": None},
        ]
        records = records_of(order, iter(rows))
        first = {key: value for key, value in rows[0].items() if key != "lines"}
        second = {key: value for key, value in rows[1].items() if key != "lines"}
        references = {Key("customer", '["c"]'), Key("part", "[1]"), Key("part", '[2,"b"]')}
        assert records[:2] == [
            Record(key=Key("order", '[7,"2026"]'), data=first, references=frozenset(references)),
            Record(key=Key("order", '[8,"2026"]'), data=second, references=frozenset()),
        ]
        assert records[2:] == [
            Record(
                key=Key("line", "[1]"),
                data={"id": 1, "article": 5},
                references=frozenset({Key("article", "[5]")}),
            ),
            Record(key=Key("line", "[2]"), data={"id": 2}, references=frozenset()),
        ]

    def test_names_the_place_of_each_error(self):
        order = define(
            "crm",
            "order",
            json_schema={"properties": {"name": {"maxLength": 2}}, "required": ["id"]},
            key_fields=["id", "year"],
            references={"customer": "customer"},
            children={"lines": "line"},
        )
        define("crm", "line", json_schema={})
        assert errors_of(
            order,
            {"id": 1, "year": 1},
            7,
            {"year": 1},
            {"id": 2, "year": 1, "name": "abc"},
            {"id": 2, "year": None},
            {"id": 2, "year": True},
            {"id": 1, "year": 1},
            {"id": 3, "year": 1, "customer": {}},
            {"id": 4, "year": 1, "lines": {}},
            {"id": 5, "year": 1, "lines": [{"id": 1}, {"id": 1}, {}]},
        ) == (
            25,
            [
                "record 2: not a JSON object.",
                "record 3: $: 'id' is a required property.",
                'record 4: $.name: breaks "maxLength": 2.',
                "record 5: the key field year is missing.",
                "record 6: the key id, year must be texts or whole numbers of 500 characters.",
                "record 7: the key [1,1] appears twice.",
                "record 8: customer is not a key of customer.",
                "record 9, lines: not a list of records of line.",
                "record 10, lines 2: the key [1] appears twice.",
                "record 10, lines 3: the key field id is missing.",
            ],
        )

    def test_shows_the_beginning_of_a_long_rule(self):
        names = [f"{number:018}" for number in range(20)]
        definition = define(json_schema={"enum": names})
        _, (error,) = errors_of(definition, {"id": 1})
        assert error.startswith('record 1: $: breaks "enum": ["000000000000000000", ')
        assert error.endswith("....")
        assert len(error) == len('record 1: $: breaks "enum": ') + 200 + len("....")

    @pytest.mark.parametrize(("levels", "is_valid"), [(7, True), (8, False)])
    def test_reads_children_up_to_eight_levels(self, levels, is_valid):
        definition = define(json_schema={}, children={"parts": "customer"})
        row: dict[str, object] = {"id": 0}
        for number in range(1, levels + 1):
            row = {"id": number, "parts": [row]}
        if is_valid:
            assert len(records_of(definition, iter([row]))) == levels + 1
        else:
            status, (error,) = errors_of(definition, row)
            assert (status, error.endswith("at most 8 levels deep.")) == (25, True)

    def test_keeps_a_thousand_errors(self):
        status, errors = errors_of(define(), *[7] * 1_002)
        assert (status, len(errors), errors[-1]) == (25, 1_000, "record 1000: not a JSON object.")

    def test_needs_a_definition_of_the_children(self):
        definition = define(json_schema={}, children={"lines": "line"})
        define("erp", "line", json_schema={})
        assert len(records_of(definition, iter([{"id": 1}]))) == 1
        status, _ = errors_of(definition, {"id": 1, "lines": [{"id": 2}]})
        assert status == 24


class TestKeyText:
    @pytest.mark.parametrize(
        ("values", "text"),
        [
            ([1, "a"], '[1,"a"]'),
            (["é"], '["é"]'),
            ([True], None),
            ([1.0], None),
            (["a", None], None),
            (["x" * 496], '["' + "x" * 496 + '"]'),
            (["x" * 497], None),
        ],
    )
    def test_is_json_of_texts_and_whole_numbers(self, values, text):
        assert key_text(values) == text
