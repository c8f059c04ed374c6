import pytest
from django.http import HttpResponse
from django.test import Client

from tests.factories import make_archived_message, make_message, make_user

pytestmark = pytest.mark.django_db


def client_of(*roles: str) -> Client:
    client = Client()
    client.force_login(make_user(*roles))
    return client


@pytest.fixture
def support() -> Client:
    return client_of("support")


def text_of(response: HttpResponse) -> str:
    return response.content.decode()


class TestFindMessage:
    def test_goes_to_the_message_or_to_the_list_of_those_that_share_the_id(self, support):
        message = make_message(correlation_id="order-1", process_id="p-1")
        make_message(correlation_id="order-1", source_system="ERP", process_id="p-1")
        old = make_archived_message(correlation_id="order-0")
        targets = {
            str(message.pk): f"/messages/{message.pk}/",
            "order-1": "/messages/?correlation_id=order-1",
            " p-1 ": "/messages/?process_id=p-1",
            "order-0": f"/messages/{old.pk}/",
            "nobody": "/messages/?correlation_id=nobody",
            "9" * 50: f"/messages/?correlation_id={'9' * 50}",
            "": "/messages/",
        }
        for text, target in targets.items():
            assert support.get("/messages/find/", {"id": text}).url == target, text

    def test_survives_null_characters_and_length(self, support):
        assert support.get("/messages/find/", {"id": "\0" + "x" * 5000}).status_code == 302
