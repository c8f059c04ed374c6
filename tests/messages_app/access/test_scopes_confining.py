"""A token limited to a queue or a trigger is accepted there and refused elsewhere, call by call."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import RequestFactory

from messages_app.access.api import ApiView
from messages_app.access.calls import Action, make_routes
from messages_app.access.models import ApiToken
from messages_app.access.scopes import SCOPES, scope_of
from messages_app.audit.models import AuditEntry
from messages_app.core.serializers import StrictSerializer
from messages_app.cp_queue.registration import CAN_PULL_CP_MESSAGES
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.in_doubt import resubmit_document
from tests.messages_app.access.confined_calls import BY, CALLS, MINE, OF_NO_NAME, OTHER, SCOPED, UNKNOWN, guid
from tests.support.api_client import BASE, ApiClient, caller, problem
from tests.support.factories import make_message
from tests.support.histories import ADA, make_trigger, store_entry
from tests.support.parameters import quick_first
from tests.support.queues import guid_of, store
from tests.support.routes import api_views

pytestmark = pytest.mark.django_db

PASSING = [(path, body) for path, (bodies, _) in CALLS.items() for body in bodies]
REFUSED = [(path, body, scope) for path, (_, bodies) in CALLS.items() for body, scope in bodies]
TABLES = (
    *("oscpmqueue", "cp_deferred", "cp_retry", "cp_reservation", "cp_service", "cp_dispatch", "cp_pause"),
    *("document_history", "document_in_doubt", "document_trigger"),
)


def held_in(*queues: str, service: str) -> None:
    for queue_name in queues:
        store(f"{queue_name} of {service}", queue_name, 7, lock=service)


@pytest.fixture
def scene() -> None:
    for name, queue_name, service in (("mine", MINE, "W1"), ("other", OTHER, "W2")):
        store(name, queue_name, 1, lock=service)
        store(f"{name} waits", queue_name, 2, lock=service)
        dispatch_message(guid=guid_of(f"{name} waits"), service=service, reason="RETRY")
        store(f"{name} free", queue_name, 3)
    held_in(MINE, OTHER, service="both")
    store("other of 4", OTHER, 4)
    for number in ("1", "4"):
        make_message(object_id=number, payload="<a>text</a>")
    for trigger_id in ("t-1", "t-2"):
        make_trigger(trigger_id)
        store_entry("processing", trigger_id=trigger_id)
        check_document(trigger_id=trigger_id, uuid="u-1")


@pytest.fixture
def client(scene) -> ApiClient:
    """A client of a user with all permissions, with a token for one queue and one trigger."""
    return caller("admin", "cp_service", "history_service", "view_payload", scopes=SCOPED)


def contents() -> dict[str, list[tuple]]:
    """Return all rows of both stores."""
    with connection.cursor() as cursor:
        found = {}
        for table in TABLES:
            cursor.execute(f"SELECT row::text FROM {table} AS row ORDER BY 1")
            found[table] = cursor.fetchall()
    return found


def refusal(response: object) -> dict:
    body = problem(response)
    assert (body["status"], body["code"]) == (403, "permission_denied"), body
    assert body["detail"].endswith(f"needs the scope {body['scope']}.")
    return body


def calls_of_stores() -> Iterator[tuple[str, str, type[ApiView]]]:
    for route, view in api_views():
        path = route.removeprefix("api/v1/")
        if path.startswith(("cp-queue/", "document-history/")):
            yield from ((method, path, view) for method in view.rights)


class TestEveryCall:
    def test_of_the_packages_is_in_one_of_the_tables(self):
        calls = {f"{method} {path}" for method, path, _ in calls_of_stores()}
        assert calls == {f"POST {path}" for path in CALLS} | OF_NO_NAME
        assert not {f"POST {path}" for path in CALLS} & OF_NO_NAME

    def test_reports_what_it_touches_if_its_scope_takes_a_name(self):
        for method, path, view in calls_of_stores():
            takes_name = bool(SCOPES[scope_of(view.rights[method])].confined_to)
            assert takes_name == (path in CALLS and method == "POST"), (method, path)
            assert takes_name <= view().has_affected_names(method), (method, path)

    def test_has_a_scope_without_names_if_it_is_of_another_package(self):
        paths = {path for _, path, _ in calls_of_stores()}
        for route, view in api_views():
            if route.removeprefix("api/v1/") not in paths:
                scopes = {scope_of(right) for right in getattr(view, "rights", {}).values()}
                assert not any(SCOPES[scope].confined_to for scope in scopes), route


class TestConfinedToken:
    @pytest.mark.parametrize(("path", "body"), PASSING)
    def test_is_accepted_within_its_scope(self, client, path, body):
        response = client.post(path, body)
        # The document tokens of these calls are invalid, which is the error for a caller with permission.
        of_a_token = path.endswith(("complete/", "abandon/"))
        assert response.status_code in ({409} if of_a_token else {200, 201}), response.content

    @pytest.mark.parametrize("end", ["complete", "abandon"])
    def test_sees_a_document_of_its_trigger_to_the_end(self, client, end):
        asked = {"trigger_id": "t-1", "uuid": "u-9"}
        token = client.post("document-history/check/", asked).json()["token"]
        assert client.post(f"document-history/{end}/", asked | {"token": token}).status_code == 200

    @pytest.mark.parametrize(("path", "body", "scope"), REFUSED)
    def test_is_refused_elsewhere_and_changes_nothing(self, client, path, body, scope):
        before = contents()
        for headers in ({}, {"Idempotency_Key": "k-1"}):
            assert refusal(client.post(path, body, **headers))["scope"] == scope
        assert contents() == before
        assert [entry.details["scope"] for entry in AuditEntry.objects.filter(outcome="refused")] == [
            scope
        ] * 2

    @pytest.mark.parametrize(("path", "body", "scope"), REFUSED)
    @pytest.mark.slow
    def test_is_not_refused_with_the_required_scope_or_without_scopes(self, client, path, body, scope):
        for scopes in ([*SCOPED, scope], None):
            ApiToken.objects.update(scopes=scopes)
            assert client.post(path, body).status_code != 403

    @pytest.mark.parametrize("path", quick_first(CALLS, quick=8))
    def test_explains_errors_in_a_body(self, client, path):
        assert problem(client.send("POST", path, b'{"QueueName": {}, "uuid": 5}'))["status"] == 400
        assert problem(client.send("POST", path, b"{"))["status"] == 400

    @pytest.mark.parametrize("path", CALLS)
    def test_opens_nothing_that_its_user_may_not(self, scene, path):
        support = caller("support", scopes=SCOPED)
        for body in ({}, *CALLS[path][0][:1]):
            answer = problem(support.post(path, body))
            assert (answer["status"], "scope" in answer) == (403, False)

    def test_opens_no_call_of_another_scope(self, client):
        for path, scope in (
            ("cp-queue/messages/", "queue:read"),
            ("document-history/entries/", "history:read"),
        ):
            assert refusal(client.get(path))["scope"] == scope

    @pytest.mark.parametrize("path", ["dispatch/", "dispatch-for-service/", "reset/", "delete/", "send-on/"])
    def test_gets_the_same_answer_for_an_id_of_others_as_for_an_unknown_one(self, client, path):
        answers = []
        for each in (guid_of("other"), UNKNOWN):
            body = CALLS[f"cp-queue/{path}"][0][0] | {"MessageGUID": each}
            told = refusal(client.post(f"cp-queue/{path}", body))
            answers.append({name: told[name] for name in told.keys() - {"request_id"}})
        assert answers[0] == answers[1]
        assert OTHER not in str(answers)

    def test_gets_the_error_of_its_own_that_no_longer_exists(self, client):
        body = guid("mine") | BY
        assert client.post("cp-queue/dispatch/", body).status_code == 200
        assert problem(client.post("cp-queue/dispatch/", body))["status"] == 404

    def test_gets_the_error_of_its_own_that_another_service_holds(self, client):
        body = guid("mine") | BY | {"ServiceName": "W2"}
        assert problem(client.post("cp-queue/dispatch/", body))["refusal"] == "not_owner"

    def test_gets_no_stored_answer_of_another_token_of_its_user(self, client):
        path, body = "cp-queue/get-next/", {"QueueNames": OTHER, "ServiceName": "W2"}
        other = ApiClient(client.user)
        assert other.post(path, body, Idempotency_Key="k-1").json()["MessageGUID"]
        assert refusal(client.post(path, body, Idempotency_Key="k-1"))["scope"] == f"queue:consume:{OTHER}"

    def test_has_several_names(self, client):
        ApiToken.objects.update(scopes=[f"queue:consume:{MINE}", f"queue:consume:{OTHER}"])
        both = {"QueueNames": f"{OTHER},{MINE}", "ServiceName": "both"}
        assert client.post("cp-queue/get-next/", both).status_code == 200
        assert client.post("cp-queue/reset-service/", {"ServiceName": "both"}).json()["released"] == 3
        third = both | {"QueueNames": f"{MINE},{OTHER},FULLTEXTIDX"}
        assert refusal(client.post("cp-queue/get-next/", third))["scope"] == "queue:consume:FULLTEXTIDX"

    def test_receives_no_resubmitted_document_of_another_trigger(self, client):
        for line in history_lines():
            resubmit_document(in_doubt_id=line, actor=ADA, reason="r", takes=False)
        taken = client.post("document-history/take/", {"trigger_id": "t-1"}).json()
        assert (taken["status"], taken["in_doubt"]["trigger_id"]) == ("NEW", "t-1")
        refusal(client.post("document-history/take/", {"trigger_id": "t-2"}))

    def test_opens_no_view_that_does_not_report_what_it_touches(self, scene):
        token = caller("cp_service", scopes=SCOPED).token

        silent = Action(
            "silent/",
            dict,
            right=CAN_PULL_CP_MESSAGES,
            audited_as="silent",
            body=StrictSerializer,
            answer=StrictSerializer,
            description="Does not say which queues it affects.",
        )
        (route,) = make_routes([silent])
        request = RequestFactory().post(
            BASE, {"QueueNames": MINE}, "application/json", headers={"Authorization": f"Token {token}"}
        )
        assert route.callback(request).status_code == 403
        assert AuditEntry.objects.get(action="silent").details["scope"] == "queue:consume"


def history_lines() -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT in_doubt_id FROM document_in_doubt ORDER BY 1")
        return [number for (number,) in cursor.fetchall()]
