import pytest

from messages_app.finding.record_search import find_values
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db


class TestFindValues:
    def test_finds_services_operations_systems_and_codes_that_contain_a_text(self):
        make_message(service_name="billing", operation_name="rebill", source_system="CRM")
        make_message(service_name="shipping", failed_error_code="E103", correlation_id="c-2")
        results = [
            (kind.name, [(hit.name, hit.url) for hit in kind.hits])
            for text in ("bill", "crm", "e10")
            for kind in find_values(text)
        ]
        assert results == [
            ("service_name", [("billing", "/messages/?service_name=billing")]),
            ("operation_name", [("rebill", "/messages/?operation_name=rebill")]),
            ("source_system", [("CRM", "/messages/?source_system=CRM")]),
            ("failed_error_code", [("E103", "/messages/?failed_error_code=E103")]),
        ]

    def test_says_that_there_are_more(self):
        for number in range(5):
            make_message(service_name=f"service{number}", correlation_id=f"c-{number}")
        (kind,) = find_values("service")
        assert len(kind.hits) == 4
        assert kind.more

    @pytest.mark.parametrize("text", ["", "b", "b\0i", "none"])
    def test_finds_nothing_otherwise(self, text):
        make_message(service_name="billing")
        assert [*find_values(text)] == []
