"""
Every parameter that the vendor's documentation has for each job, as a client of the vendor sends all of them.

Source: docs/contributing/spec/cp_queue.md, "Operations".
"""

import pytest

from messages_app.cp_queue.models import CpMessage
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_message
from tests.support.queues import guid_of, store

pytestmark = pytest.mark.django_db

_ALWAYS = {"Flags": 0, "OutputUnicode": 1}
_OBJECT = {"ObjectID": 7, "ObjectType": 65_536}
_SERVICE = {"ServiceName": "W1"}
_ONE = {"MessageGUID": guid_of("A")}

# The address of each job, and its documented parameters.
JOBS = {
    "create-messages/": _OBJECT
    | {
        "CreateFulltextIdxMessages": True,
        "CreateFulltextFilterMessages": False,
        "CreateRenditionMessages": True,
    },
    "get-next/": _SERVICE | {"QueueNames": "RENDITION,FULLTEXTIDX"},
    "dispatch/": _SERVICE | _ONE | {"Reason": "OK"},
    "reset-service/": _SERVICE,
    "rendition-changed/": _SERVICE | _OBJECT | {"Reason": "TEXT"},
    "object-info/": _OBJECT | {"Rights": "RWXDU"},
    "object-full-text/": _OBJECT,
    "process-page-count/": {},
    "reset/": _ONE,
    "reset-selective/": {"QueueName": "RENDITION"},
    # Ours, for several messages of the same jobs.
    "get-next-many/": _SERVICE | {"QueueNames": "RENDITION", "Count": 5},
    "dispatch-many/": _SERVICE | {"messages": [_ONE | {"Reason": "OK"}]},
}


@pytest.fixture
def client() -> ApiClient:
    make_message(object_id="7")
    store("A", lock="W1")
    return caller("admin", "view_payload", "cp_service")


class TestEveryJob:
    @pytest.mark.parametrize("path", JOBS)
    def test_accepts_all_of_its_parameters_together(self, client, path):
        answer = client.post(f"cp-queue/{path}", JOBS[path] | _ALWAYS)
        assert answer.status_code in {200, 201}, answer.content
        assert answer.json()["return_code"] == 0

    @pytest.mark.parametrize("path", JOBS)
    @pytest.mark.parametrize("value", [0, 1])
    def test_answers_the_same_with_and_without_unicode(self, client, path, value):
        asked = (
            JOBS[path] | {"DryRun": True} if path in {"create-messages/", "reset-service/"} else JOBS[path]
        )
        answer = client.post(f"cp-queue/{path}", asked | {"OutputUnicode": value})
        assert answer.status_code in {200, 201}, answer.content
        assert "OutputUnicode" not in answer.json()

    @pytest.mark.parametrize("path", JOBS)
    @pytest.mark.parametrize(
        ("value", "code"),
        [("1", "invalid_value"), (True, "invalid_value"), (-1, "out_of_range"), (None, "required")],
    )
    def test_refuses_a_value_that_is_not_a_number(self, client, path, value, code):
        told = problem(client.post(f"cp-queue/{path}", JOBS[path] | {"OutputUnicode": value}))
        assert (told["status"], told["errors"][0]["field"]) == (400, "OutputUnicode")
        assert told["errors"][0]["code"] == code
        assert CpMessage.objects.count() == 1

    def test_gets_the_names_of_a_message_in_unicode(self, client):
        store("B", queue="FORMULÄRE")
        asked = _SERVICE | {"QueueNames": "FORMULÄRE", "OutputUnicode": 0}
        assert client.post("cp-queue/get-next/", asked).json()["QueueName"] == "FORMULÄRE"
