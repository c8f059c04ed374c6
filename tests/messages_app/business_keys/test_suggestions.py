import json

import pytest

from messages_app.business_keys.suggestions import Suggestion, suggest_keys
from messages_app.shared.key_extraction import Path, extract_values
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db


def suggest(**options: bool) -> list[Suggestion]:
    options = {"may_view_payload": True} | options
    return suggest_keys(service_name="billing", operation_name="createInvoice", **options)


def order(number: int) -> str:
    return (
        f"<o:order xmlns:o='urn:o'><id>N{number:06d}</id>"
        f"<customer no='C{number // 4}44'><name>Eva Novak</name></customer>"
        f"<at>2026-11-0{number % 9 + 1}T10:00:00Z</at><amount>{number}.50</amount><country>AT</country>"
        "<trace>0b9c5a4e-3d5f-4c55-9c0e-2f4f4f3f9a11</trace>"
        + "".join(f"<line><sku>SKU-{sku}</sku></line>" for sku in range(5))
        + "</o:order>"
    )


class TestSuggestKeys:
    def test_offers_the_fields_of_xml_that_look_like_numbers_most_different_first(self):
        for number in range(8):
            make_message(payload=order(number))
        make_message(payload="not XML")
        assert suggest() == [
            Suggestion(path="//id", name="order", example="N000007", messages=8, total=9, different=8),
            Suggestion(path="//@no", name="customer", example="C144", messages=8, total=9, different=2),
        ]

    def test_offers_the_fields_of_json_with_paths_that_find_them(self):
        payloads = [
            json.dumps(
                {
                    "order": {"orderId": f"N{n}00", "total": 1.5},
                    "ref no": n + 5000,
                    "lines": [{"at": "2026-01-01"}],
                }
            )
            for n in range(3)
        ]
        for payload in payloads:
            make_message(payload=payload)
        suggestions = suggest()
        assert [(each.path, each.name) for each in suggestions] == [
            ("$['ref no']", "ref no"),
            ("$.order.orderId", "order"),
        ]
        extract = extract_values(payloads[0], [Path(n, each.path) for n, each in enumerate(suggestions)])
        assert extract.values == {0: ["5000"], 1: ["N000"]}

    def test_names_the_whole_path_of_a_field_whose_name_is_not_the_only_one(self):
        make_message(payload="<o><buyer><id>B1234</id></buyer><seller><id>S1234</id></seller></o>")
        assert [(each.path, each.name) for each in suggest()] == [
            ("/o/buyer/id", "buyer"),
            ("/o/seller/id", "seller"),
        ]

    def test_hides_examples_from_users_who_may_not_see_payloads(self):
        make_message(payload=order(1))
        assert {each.example for each in suggest(may_view_payload=False)} == {None}

    def test_finds_nothing_without_messages(self):
        make_message(payload=order(1), operation_name="other")
        assert suggest() == []
