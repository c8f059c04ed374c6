"""Messages that another writer stored with an identifier in upper case, or with one that is not a UUID."""

import pytest
from django.urls import reverse

from messages_app.message_store.models import MessageStore
from messages_app.message_store.selectors import stored_identifier
from messages_app.message_store.services.attempt import process_message
from messages_app.message_store.services.intake import read_message, store_message
from messages_app.message_store.views.lists import look_up
from tests.support.api_client import caller
from tests.support.page_client import client_of
from tests.support.stores import ADA, define, status_of

pytestmark = pytest.mark.django_db

LOWER = "123e4567-e89b-12d3-a456-426614174000"
UPPER = "123E4567-E89B-12D3-A456-426614174000"
MIXED = "123E4567-e89b-12d3-a456-426614174000"


def written(identifier: str, name: str = "Ada") -> None:
    """Store a message as another writer of the table would."""
    MessageStore.objects.create(
        message_identifier=identifier,
        source_system="crm",
        source_entity="customer",
        refresh=False,
        data='[{"id": 1, "name": "%s"}]' % name,  # noqa: UP031 (braces)
    )


@pytest.mark.parametrize(
    ("stored", "asked"), [(UPPER, LOWER), (UPPER, UPPER), (UPPER, MIXED), (LOWER, UPPER), ("MSG-1", "MSG-1")]
)
class TestAMessageOfAnotherWriter:
    def test_is_read_and_reprocessed_over_the_api(self, stored, asked):
        define()
        written(stored)
        process_message(stored)
        client = caller("operator")
        one = client.get(f"message-store/{asked}/")
        assert (one.status_code, one.json()["message_identifier"]) == (200, stored)
        history = client.get(f"message-store/{asked}/history/").json()["results"]
        assert [attempt["status"] for attempt in history] == [10]
        again = client.post(f"message-store/{asked}/reprocess/", {"reason": "again"})
        assert again.status_code == 200, again.content
        assert status_of(stored) in {0, 3, 10}

    def test_has_its_page_and_is_found(self, stored, asked):
        written(stored)
        page = client_of("support").get(reverse("store-message", args=[asked]))
        assert page.status_code == 200
        assert stored in page.content.decode()
        (kind,) = look_up(asked)
        assert [hit.name for hit in kind.hits] == [stored]


class TestStoredIdentifier:
    def test_means_the_given_one_of_two_that_differ_in_case(self):
        written(UPPER)
        written(LOWER)
        assert [stored_identifier(text) for text in (UPPER, LOWER, MIXED)] == [UPPER, LOWER, LOWER]

    @pytest.mark.parametrize("text", ["", "x" * 37, "a\0b", "a\nb", "{%s}" % LOWER, "MSG-1"])  # noqa: UP031
    def test_is_missing_for_a_missing_message(self, text):
        assert stored_identifier(text) is None

    def test_of_a_message_that_does_not_exist_is_what_the_console_would_store(self):
        assert stored_identifier(UPPER) == LOWER


class TestAMessageWithoutSystem:
    """Source: docs/contributing/spec/message_store.md, "Receiving"."""

    def test_is_read_by_the_definition_of_any_system_before_that_of_the_only_one(self):
        define("*", entity="customer")
        define("crm", entity="customer", key_fields=["name"])
        stored = store_message(
            read_message({"entity": "customer", "data": [{"id": 1}]}), actor=ADA
        ).identifier
        process_message(stored)
        assert status_of(stored) == 10

    @pytest.mark.parametrize(("systems", "status"), [(("crm",), 10), (("crm", "erp"), 23)])
    def test_is_read_by_that_of_the_only_system_that_has_its_entity(self, systems, status):
        for system in systems:
            define(system, entity="customer")
        stored = store_message(
            read_message({"entity": "customer", "data": [{"id": 1}]}), actor=ADA
        ).identifier
        process_message(stored)
        assert status_of(stored) == status
