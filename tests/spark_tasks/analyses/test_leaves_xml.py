import pytest

from spark_tasks.analyses.facts import Unreadable
from spark_tasks.analyses.fields import MAX_DEPTH, MAX_FIELDS, FieldTree, Source
from spark_tasks.analyses.leaves import read_xml_leaves


def leaves_of(text: str, tree: FieldTree | None = None) -> set[tuple[str, str]]:
    """Return the leaves with the paths of their fields."""
    tree = tree or FieldTree()
    leaves = read_xml_leaves(text, tree, tree.roots[Source.PAYLOAD], set())
    return {(tree.fields[number].path, value) for number, value in leaves}


class TestReadXmlLeaves:
    def test_gives_elements_and_attributes_with_local_names_and_without_positions(self):
        text = """<?xml version="1.0" encoding="ISO-8859-1"?>
            <o:Order xmlns:o="urn:o" xmlns="urn:d" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                xsi:schemaLocation="urn:o o.xsd">
              <o:Currency o:list="ISO"> CHF </o:Currency>
              <Line><Unit>KG</Unit></Line>
              <Line><Unit>PC</Unit></Line>
              <Note/>
            </o:Order>"""

        assert leaves_of(text) == {
            ("/Order/Currency", "CHF"),
            ("/Order/Currency/@list", "ISO"),
            ("/Order/Line/Unit", "KG"),
            ("/Order/Line/Unit", "PC"),
            ("/Order/Note", ""),
        }

    def test_reads_cdata_and_references_as_text_in_one_piece(self):
        assert leaves_of("<a>M&amp;S <![CDATA[<x>]]>&#33;<!-- c --></a>") == {("/a", "M&S <x>!")}

    def test_does_not_give_the_text_between_elements(self):
        assert leaves_of("<a>before<b>in</b>after</a>") == {("/a/b", "in")}

    def test_adds_elements_with_others_in_them_to_the_facts(self):
        tree, facts = FieldTree(), set()

        read_xml_leaves("<a><b><c>1</c></b></a>", tree, tree.roots[Source.PAYLOAD], facts)

        assert {tree.fields[number].path for number in facts} == {"/a", "/a/b"}

    def test_gives_one_field_for_two_prefixes(self):
        tree = FieldTree()
        leaves_of('<x:a xmlns:x="urn:a">1</x:a>', tree)
        leaves_of('<a xmlns="urn:a">1</a>', tree)

        assert [field.path for field in tree.fields] == ["", "/a"]

    @pytest.mark.parametrize(
        "text", ["<a>", "<a></b>", "<a>&unknown;</a>", "<a/><b/>", "<a b=1/>", "<a>\x01</a>"]
    )
    def test_refuses_what_is_not_well_formed(self, text):
        with pytest.raises(Unreadable, match="XML that is not well-formed"):
            leaves_of(text)

    @pytest.mark.parametrize(
        "dtd",
        ["<!DOCTYPE a>", '<!DOCTYPE a [<!ENTITY e "1">]>', '<!DOCTYPE a SYSTEM "http://x.example/a.dtd">'],
    )
    def test_refuses_a_dtd_before_it_is_read(self, dtd):
        with pytest.raises(Unreadable, match="XML with a DTD"):
            leaves_of(f"{dtd}<a/>")

    def test_ignores_what_is_nested_too_deeply_without_recursion(self):
        depth = 100_000
        tree = FieldTree()

        read_xml_leaves("<a>" * depth + "</a>" * depth, tree, tree.roots[Source.PAYLOAD], set())

        assert len(tree.fields) == 1 + MAX_DEPTH

    def test_ignores_further_fields_of_a_task_that_has_met_too_many(self):
        tree = FieldTree()
        for number in range(MAX_FIELDS + 10):
            leaves_of(f"<a><n{number}>1</n{number}></a>", tree)

        assert len(tree.fields) == 1 + MAX_FIELDS
        assert leaves_of("<a><n5>1</n5><other>2</other></a>", tree) == {("/a/n5", "1"), ("", "2")}
