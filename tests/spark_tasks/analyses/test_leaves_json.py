import pytest

from spark_tasks.analyses.facts import Unreadable
from spark_tasks.analyses.fields import FieldTree, Source
from spark_tasks.analyses.leaves import read_json_leaves


def leaves_of(text: str) -> set[tuple[str, str]]:
    tree = FieldTree()
    leaves = read_json_leaves(text, tree, tree.roots[Source.PAYLOAD], set())
    return {(tree.fields[number].path, value) for number, value in leaves}


class TestReadJsonLeaves:
    def test_gives_members_and_items_without_positions(self):
        text = '{"currency": " CHF ", "lines": [{"unit": "KG"}, {"unit": "PC"}], "codes": [1, 2.50]}'

        assert leaves_of(text) == {
            ("$.currency", "CHF"),
            ("$.lines[*].unit", "KG"),
            ("$.lines[*].unit", "PC"),
            ("$.codes[*]", "1"),
            ("$.codes[*]", "2.50"),
        }

    def test_distinguishes_true_and_one(self):
        assert leaves_of('{"a": true, "b": 1, "c": false, "d": 0, "a b": null}') == {
            ("$.a", "true"),
            ("$.b", "1"),
            ("$.c", "false"),
            ("$.d", "0"),
            ("$['a b']", "null"),
        }

    def test_distinguishes_a_member_and_items_of_the_same_name(self):
        text = '[{"a": {"[*]": 1}}, {"a": [2]}]'

        assert leaves_of(text) == {("$[*].a['[*]']", "1"), ("$[*].a[*]", "2")}

    def test_keeps_numbers_with_a_million_digits_as_text(self):
        assert leaves_of(f"[{'9' * 1_000_000}]") == {("$[*]", "9" * 1_000_000)}

    def test_adds_objects_and_lists_to_the_facts(self):
        tree, facts = FieldTree(), set()

        read_json_leaves('{"a": {"b": []}}', tree, tree.roots[Source.PAYLOAD], facts)

        assert {tree.fields[number].path for number in facts} == {"$", "$.a", "$.a.b"}

    @pytest.mark.parametrize("text", ["{", "{'a': 1}", '{"a": NaN}', "[1,]", '{"a": 1} x', "[" * 100_000])
    def test_refuses_what_is_not_well_formed_or_nested_too_deeply(self, text):
        with pytest.raises(Unreadable, match="JSON that is not well-formed"):
            leaves_of(text)
