import pytest

from messages_app.shared.key_extraction import MAX_VALUES, Fault, Path, extract_values

SOAP = """<?xml version="1.0" encoding="ISO-8859-1"?>
<s:Envelope xmlns:s="urn:soap"><s:Body><o:order xmlns:o="urn:order" o:number="7">
  <o:id>N 1
   </o:id><o:ref type="order">R1</o:ref><o:ref type="bill">R2</o:ref><o:part><![CDATA[A&B]]></o:part>
</o:order></s:Body></s:Envelope>"""
JSON = '\ufeff{"order": {"id": 4711.50, "lines": [{"sku": "a"}, {"sku": "b"}]}, "odd name": true, "id": "x"}'


def values_of(payload: str | None, path: str) -> list[str]:
    return extract_values(payload, [Path(1, path)]).values.get(1, [])


def fault_of(payload: str | None, path: str) -> Fault | None:
    return extract_values(payload, [Path(1, path)]).problems.get(1, (None, ""))[0]


class TestExtractValues:
    @pytest.mark.parametrize(
        ("path", "values"),
        [
            ("//order/id", ["N 1"]),
            ("/Envelope/Body/order/@number", ["7"]),
            ("//ref", ["R1", "R2"]),
            ("//ref[@type='bill']/text()", ["R2"]),
            ("string(//part)", ["A&B"]),
        ],
    )
    def test_reads_xml_whatever_its_namespaces_and_declared_encoding(self, path, values):
        assert values_of(SOAP, path) == values

    @pytest.mark.parametrize(
        ("path", "values"),
        [
            ("$.order.id", ["4711.50"]),
            ("$['order']['lines'][1]['sku']", ["b"]),
            ("$.order.lines[-1].sku", ["b"]),
            ("$.order.lines[*].sku", ["a", "b"]),
            ("$.order.lines[?(@.sku=='b')].sku", ["b"]),
            ("$..id", ["x", "4711.50"]),
        ],
    )
    def test_reads_json_with_numbers_as_they_are_written(self, path, values):
        assert values_of(JSON, path) == values

    def test_stores_single_blanks_and_none_around(self):
        assert values_of("<a><id>\n  N  4711\t</id></a>", "//id") == ["N 4711"]

    def test_reads_each_path_although_another_one_is_broken(self):
        extract = extract_values(SOAP, [Path(1, "//x["), Path(2, "//ref"), Path(3, "$.a"), Path(4, "//none")])
        assert extract.values == {2: ["R1", "R2"]}
        assert {key: fault for key, (fault, _) in extract.problems.items()} == {
            1: Fault.UNREADABLE,
            3: Fault.UNREADABLE,
            4: Fault.MISSING,
        }

    @pytest.mark.parametrize(
        "payload", [None, "", "text", "<a>", "<a>\0</a>", "\ud800", '{"id": ', "[" * 100_000, "<a>" * 5_000]
    )
    def test_reports_a_payload_that_cannot_be_read(self, payload):
        assert {fault_of(payload, path) for path in ("//id", "$.id")} == {Fault.UNREADABLE}

    def test_processes_no_entity_and_quotes_nothing(self):
        bomb = '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a><id>&e;</id></a>'
        assert extract_values(bomb, [Path(1, "//id")]).problems == {1: (Fault.UNREADABLE, "Has a DTD.")}
        broken = "<a><Ada-Lovelace></b></a>"
        (problem,) = extract_values(broken, [Path(1, "//id")]).problems.values()
        assert "Ada" not in problem[1]

    def test_takes_a_limited_number_of_values_that_can_be_stored(self):
        many = "<a>" + "".join(f"<id>{number}</id>" for number in range(MAX_VALUES + 1)) + "</a>"
        assert len(values_of(many, "//id")) == MAX_VALUES
        assert fault_of(many, "//id") == Fault.UNUSABLE
        assert values_of(f"<a><id>{'x' * 200}</id></a>", "//id") == ["x" * 200]
        assert values_of(f"<a><id>{'x' * 201}</id></a>", "//id") == []
        assert values_of('{"id": "\\ud800"}', "$.id") == values_of('{"id": "\\u0000"}', "$.id") == []
