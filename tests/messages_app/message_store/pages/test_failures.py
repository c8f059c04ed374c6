import pytest

from tests.page_client import client_of, text_of
from tests.stores import define_orders, process, set_process, store

pytestmark = pytest.mark.django_db


class TestErrorList:
    def test_groups_what_failed_alike_and_leads_to_its_messages(self):
        for number in range(3):
            set_process(store(), status=20, error_message=f"Timeout after {number} s")
        client = client_of("support")
        answer = client.get("/message-store/errors/")
        page = text_of(answer)
        assert "Timeout after &lt;n&gt; s" in page
        ((group, _, bar),) = answer.context["lines"]
        assert group.count == 3
        assert len(client.get(bar.query).context["lines"]) == 3

    def test_says_when_nothing_failed(self):
        assert "No message is in error" in text_of(client_of("support").get("/message-store/errors/"))


class TestMissingList:
    def test_names_the_entities_and_some_keys(self):
        define_orders()
        for customer in (7, 8):
            process(store([{"id": 1, "customer": customer}], entity="order"))
        page = text_of(client_of("support").get("/message-store/missing/"))
        assert "[7], [8]" in page
        assert "?status=26&amp;missing_entity=customer" in page

    def test_says_when_nothing_is_missing(self):
        assert "Nothing is missing" in text_of(client_of("support").get("/message-store/missing/"))
