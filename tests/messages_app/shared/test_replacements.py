import tracemalloc

import pytest

from messages_app.shared.corrected_payloads import MAX_EDITED_BYTES
from messages_app.shared.replacements import Replacement, find_unique_change

XML = "<o:order xmlns:o='urn:o' o:id='7'><customer>7</customer><note/><!-- 7 --></o:order>"
JSON = '{"id": "7", "lines": [{"sku": "x\\"y", "n": 1}, {"sku": "z", "n": 2}], "open": true}'


class TestText:
    @pytest.mark.parametrize(
        ("payload", "find", "replace", "corrected", "kinds"),
        [
            ("<a>1</a>", "1", "2", "<a>2</a>", ("a",)),
            ("<a><b>11</b></a>", "1", "", "<a><b></b></a>", ("a/b",)),
            ("<a b='1'><c>1</c></a>", "1", "2", "<a b='2'><c>2</c></a>", ("a/@b", "a/c")),
            ('{"a": "x"}', "x", "y", '{"a": "y"}', ("a",)),
            ('{"a": [{"b": "x"}], "c": 1}', "x", "y", '{"a": [{"b": "y"}], "c": 1}', ("a.b",)),
            ("plain text", "text", "<", "plain <", ("",)),
            ("\ufeff<a>1</a>", "1", "2", "\ufeff<a>2</a>", ("a",)),
            ("<a>x.y\r\n</a>", ".", "-", "<a>x-y\r\n</a>", ("a",)),
            ("<a><b>1</a>", "<b>", "", "<a>1</a>", ("a/b",)),
            ("<a>x.y\r\nz</a>", "y\nz", "1\n2", "<a>x.1\r\n2</a>", ("a",)),
            ("<a>x.y\nz</a>", "y\nz", "1\n2", "<a>x.1\n2</a>", ("a",)),
            ("<a>y\nz y\r\nz</a>", "y\r\nz", "1\n2", "<a>y\nz 1\n2</a>", ("a",)),
            ("<a>1</a>", "1", r"\1\n\g", r"<a>\1\n\g</a>", ("a",)),
        ],
    )
    def test_replaces_every_occurrence_and_names_the_places(self, payload, find, replace, corrected, kinds):
        result = Replacement(find=find, replace=replace).correct_payload(payload)
        assert (result.payload, result.refusal, result.kinds) == (corrected, None, kinds)

    @pytest.mark.parametrize(
        ("payload", "find", "replace", "refusal"),
        [
            ("<a>1</a>", "3", "2", "unchanged"),
            ("<a>1</a>", "1", "1", "unchanged"),
            ("<a>1</a>", "1", "<b>", "not_well_formed"),
            ("<a>1</a>", "a>", "b:a>", "not_well_formed"),
            ("<a>1</a>", "<a>", "<!DOCTYPE a><a>", "not_well_formed"),
            ("<a>1</a>", "<a>1</a>", " ", "not_well_formed"),
            ("<a>1</a>", "1", "\x01", "not_well_formed"),
            ('{"a": 1}', "1", "NaN", "not_well_formed"),
            ('{"a": "x"}', "x", '"', "not_well_formed"),
            ('{"a": 1, "b": 2}', "b", "a", "not_well_formed"),
            ("<a>••• 1</a>", "1", "2", "masked"),
            ("x", "x", "y" * (MAX_EDITED_BYTES + 1), "too_large"),
        ],
    )
    def test_refuses_what_must_not_be_sent(self, payload, find, replace, refusal):
        result = Replacement(find=find, replace=replace).correct_payload(payload)
        assert (result.payload, result.refusal) == (None, refusal)

    @pytest.mark.parametrize(
        ("payload", "replacement"),
        [
            ("a" * 900_000, Replacement(find="a", replace="b" * 20_000)),
            ("a\n" * 450_000, Replacement(find="a\n", replace="b\n" * 10_000)),
            ("<r>" + "<a/>" * 100_000 + "</r>", Replacement(path="//a", value="b" * 20_000)),
            ("<r>" + "<a b=''/>" * 50_000 + "</r>", Replacement(path="//a/@b", value="<" * 20_000)),
            (f"[{','.join(['1'] * 50_000)}]", Replacement(path="$[*]", value="b" * 20_000)),
        ],
    )
    def test_does_not_build_what_is_much_too_large(self, payload, replacement):
        tracemalloc.start()
        try:
            assert replacement.correct_payload(payload) == (None, "too_large", "", ())
            assert tracemalloc.get_traced_memory()[1] < 400_000_000
        finally:
            tracemalloc.stop()
        assert replacement.find_excerpt(payload, "a") is None

    def test_replaces_nothing_without_a_text(self):
        assert Replacement().is_empty
        assert Replacement().correct_payload("<a>1</a>").refusal == "unchanged"


class TestPath:
    @pytest.mark.parametrize(
        ("payload", "path", "value", "corrected", "kinds"),
        [
            (XML, "//customer", "8", XML.replace(">7<", ">8<"), ("order/customer",)),
            (XML, "//customer/text()", "<&>", XML.replace(">7<", ">&lt;&amp;&gt;<"), ("order/customer",)),
            (XML, "/order/@id", "a'\"", XML.replace("o:id='7'", "o:id='a&#x27;&quot;'"), ("order/@id",)),
            (XML, "//note", "n", XML.replace("<note/>", "<note>n</note>"), ("order/note",)),
            ("<a><b>1</b><b>2</b></a>", "//b[2]", "3", "<a><b>1</b><b>3</b></a>", ("a/b",)),
            ("<a><b><![CDATA[<]]></b></a>", "//b", "3", "<a><b>3</b></a>", ("a/b",)),
            (JSON, "$.id", 'x"', JSON.replace('"7"', '"x\\""'), ("id",)),
            (JSON, "$.lines[*].n", "5", JSON.replace(": 1", ": 5").replace(": 2", ": 5"), ("lines.n",)),
            (JSON, "$.lines[0].n", "five", JSON.replace(": 1", ': "five"'), ("lines.n",)),
            (JSON, "$.lines[?(@.sku=='x\"y')].n", "5", JSON.replace(": 1", ": 5"), ("lines.n",)),
            (JSON, "$..sku", "q", JSON.replace('"x\\"y"', '"q"').replace('"z"', '"q"'), ("lines.sku",)),
            ("\ufeff " + JSON, "$.id", "8", "\ufeff " + JSON.replace('"7"', '"8"'), ("id",)),
        ],
    )
    def test_replaces_only_the_values(self, payload, path, value, corrected, kinds):
        result = Replacement(path=path, value=value).correct_payload(payload)
        assert (result.payload, result.refusal, result.kinds) == (corrected, None, kinds)

    @pytest.mark.parametrize(
        ("payload", "path"),
        [
            (XML, "//missing"),
            (XML, "/order"),
            (XML, "$.id"),
            (JSON, "//id"),
            (JSON, "$.open"),
            ("<a>", "//a"),
        ],
    )
    def test_changes_nothing_without_such_a_value(self, payload, path):
        assert Replacement(path=path, value="8").correct_payload(payload).refusal == "unchanged"


class TestExcerpt:
    def test_shows_the_first_change_at_a_place(self):
        payload = f"<a>{'x' * 100}<b>1</b><b>1</b>{'y' * 100}</a>"
        excerpt = Replacement(find="1", replace="2").find_excerpt(payload, "a/b")
        assert excerpt == ("x" * 37 + "<b>", "1", "2", "</b><b>1</b>" + "y" * 28)
        assert Replacement(find="1", replace="2").find_excerpt(payload, "a") is None


class TestFindUniqueChange:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("<a>1</a>", "<a>2</a>"),
            ("aaaaaa", "aaaaa"),
            ("aaaaa", "aaaaaa"),
            ("a" * 99 + "b" + "a" * 99, "a" * 99 + "cb" + "a" * 99),
            ("x", ""),
            ("<a><b>1</b><b>1</b></a>", "<a><b>1</b><b>2</b></a>"),
            ("1<a/>1", "2<a/>2"),
            ("<a>\r\n1\r\n</a>\n1\n", "<a>\r\n2\r\n</a>\n1\n"),
            ("\r\n\n", "\r\n\n\n"),
        ],
    )
    def test_makes_exactly_the_corrected_payload(self, before, after):
        change = find_unique_change(before, after)
        assert before.count(change.find) == 1
        assert change.is_single_change(before, after)

    def test_is_short_in_a_long_payload(self):
        lines = [f"<line>{number}</line>" for number in range(10_000)]
        before, after = "\n".join(lines), "\n".join(lines).replace(">5000<", ">x<")
        assert len(find_unique_change(before, after).find) < 100
