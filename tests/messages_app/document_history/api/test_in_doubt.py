import json

import pytest
from django.http import HttpResponse
from django.test import Client

from messages_app.access.models import IdempotencyKey
from messages_app.access.unmasking_views import mask_again
from messages_app.audit.models import AuditEntry
from messages_app.document_history import services
from messages_app.document_history.models import DocumentInDoubt
from tests.support.api_client import BASE, ApiClient, caller, problem
from tests.support.factories import make_user
from tests.support.histories import ADA, make_trigger, store_entry
from tests.support.page_client import client_of, show_values

pytestmark = pytest.mark.django_db

INBOX = "document-history/in-doubt/"
TAKE, TRIGGER = "document-history/take/", {"trigger_id": "t-1"}


@pytest.fixture
def operator() -> ApiClient:
    """Give an operator, next to a document in doubt."""
    make_trigger()
    store_entry("processing")
    services.check(trigger_id="t-1", uuid="u-1", document={"secret": 1})
    return caller("operator")


def number_of(client: ApiClient) -> int:
    return client.get(f"{INBOX}?state=open").json()["results"][0]["in_doubt_id"]


class TestInbox:
    def test_lists_documents_without_their_contents(self, operator):
        (line,) = operator.get(f"{INBOX}?trigger_id=t-1").json()["results"]
        assert (line["document_uuid"], line["rule"], line["state"]) == ("u-1", "processing_only", "open")
        assert "document" not in line

    @pytest.mark.parametrize("query", ["state=maybe", "ordering=token", "trigger_id=", "fields=token"])
    def test_refuses_unknown_filters(self, operator, query):
        assert problem(operator.get(f"{INBOX}?{query}"))["status"] == 400


class TestDeciding:
    @pytest.mark.parametrize("how", ["resubmit", "settle"])
    def test_needs_a_reason_and_the_right(self, operator, how):
        address = f"{INBOX}{number_of(operator)}/{how}/"
        assert problem(operator.post(address, {}))["errors"][0]["field"] == "reason"
        support = caller("support", username="sue")
        assert problem(support.post(address, {"reason": "r"}))["status"] == 403

    @pytest.mark.parametrize("text", ["abc", "-1", "1.5", "9" * 30, "1_0"])
    def test_rejects_any_other_id(self, operator, text):
        assert problem(operator.post(f"{INBOX}{text}/settle/", {"reason": "r"}))["status"] == 404

    @pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": "k-1"}])
    def test_is_done_by_the_first(self, operator, headers):
        address = f"{INBOX}{number_of(operator)}"
        answer = operator.post(f"{address}/resubmit/", {"reason": "its node died"}).json()
        assert (answer["status"], answer["uuid"], answer["in_doubt"]["state"]) == (
            "NEW",
            "u-1",
            "resubmitted",
        )
        assert answer["token"]
        refused = problem(operator.post(f"{address}/settle/", {"reason": "no"}, **headers))
        assert (refused["status"], refused["current_state"]) == (409, "resubmitted")
        assert "ada" in refused["detail"]
        assert AuditEntry.objects.filter(action="settle_document").count() == 0

    def test_rolls_back_a_refused_resubmission(self, operator):
        number = number_of(operator)
        store_entry("completed")
        refused = operator.post(f"{INBOX}{number}/resubmit/", {"reason": "r"}, Idempotency_Key="k-1")
        assert problem(refused)["current_state"] == "completed"
        assert number_of(operator) == number


class TestTake:
    def test_returns_a_resubmitted_document_once_with_its_content(self, operator):
        services.resubmit(in_doubt_id=number_of(operator), actor=ADA, reason="run it", takes=False)
        service = caller("history_service", username="orders")
        taken = service.post(TAKE, TRIGGER).json()
        assert (taken["status"], taken["uuid"], taken["document"]) == ("NEW", "u-1", {"secret": 1})
        services.complete(trigger_id="t-1", uuid="u-1", token=taken["token"])
        nothing = service.post(TAKE, TRIGGER).json()
        assert set(nothing.values()) == {None}
        view = AuditEntry.objects.get(action="view_document")
        assert (view.actor, view.subject) == ("orders", str(taken["in_doubt"]["in_doubt_id"]))

    def test_returns_an_error_for_an_unknown_trigger(self):
        refused = problem(caller("history_service", username="orders").post(TAKE, {"trigger_id": "t-9"}))
        assert (refused["status"], refused["detail"]) == (404, "No trigger has the id 't-9'.")

    @pytest.mark.parametrize("role", ["support", "operator", "admin"])
    def test_is_only_for_the_code_of_triggers(self, operator, role):
        number = resubmitted(operator)
        answer = caller(role, "view_payload", username="sue").post(TAKE, TRIGGER)
        assert problem(answer)["code"] == "permission_denied"
        assert is_waiting(number)

    def test_needs_its_own_scope(self, operator):
        number = resubmitted(operator)
        user = make_user("history_service", username="orders")
        for scopes in (["history:use"], ["history:use:t-1", "payload:read"], ["history:take:t-2"]):
            refused = problem(ApiClient(user, scopes=scopes).post(TAKE, TRIGGER))
            assert refused["code"] == "permission_denied"
            assert refused["scope"].startswith("history:take")
        assert is_waiting(number)
        taken = ApiClient(user, scopes=["history:take:t-1"]).post(TAKE, TRIGGER).json()
        assert taken["document"] == {"secret": 1}

    def test_returns_nothing_to_a_session_before_its_reason(self, operator):
        number = resubmitted(operator)
        masked = client_of("history_service", "view_payload", username="bob")
        refused = post(masked, Idempotency_Key="k-1")
        assert problem(refused)["code"] == "reveal_required"
        assert problem(post(client_of("history_service", username="eve")))["code"] == "permission_denied"
        assert is_waiting(number)
        show_values(masked)
        assert post(masked, Idempotency_Key="k-1").json()["document"] == {"secret": 1}
        mask_again(session_key=masked.session.session_key, actor=ADA)
        assert problem(post(masked, Idempotency_Key="k-1"))["code"] == "reveal_required"


class TestRepeats:
    """The stored answer of an Idempotency-Key has no content and no valid token."""

    def test_take_repeats_its_answer_and_stores_neither_document_nor_token(self, operator):
        resubmitted(operator)
        service = caller("history_service", username="orders")
        first, second = (service.post(TAKE, TRIGGER, Idempotency_Key="k-1") for _ in range(2))
        assert second.headers["Idempotent-Replayed"] == "true"
        assert (first.json(), first.json()["document"]) == (second.json(), {"secret": 1})
        assert not kept_of("secret", first.json()["token"])
        assert AuditEntry.objects.filter(action="view_document").count() == 2

    def test_take_repeats_that_nothing_waited(self, operator):
        service = caller("history_service", username="orders")
        first, second = (service.post(TAKE, TRIGGER, Idempotency_Key="k-1") for _ in range(2))
        assert first.json() == second.json()
        assert set(second.json().values()) == {None}

    def test_take_reports_that_its_document_is_erased(self, operator):
        resubmitted(operator)
        service = caller("history_service", username="orders")
        service.post(TAKE, TRIGGER, Idempotency_Key="k-1")
        DocumentInDoubt.objects.all().delete()
        assert problem(service.post(TAKE, TRIGGER, Idempotency_Key="k-1"))["status"] == 404

    def test_check_repeats_its_token_and_stores_none(self, operator):
        body = {"trigger_id": "t-1", "uuid": "u-2"}
        first, second = (
            operator.post("document-history/check/", body, Idempotency_Key="k-1").json() for _ in range(2)
        )
        assert first == second
        assert not kept_of(first["token"])
        done = operator.post("document-history/complete/", body | {"token": second["token"]})
        assert done.status_code == 200

    def test_resubmit_repeats_its_token_and_stores_none(self, operator):
        address = f"{INBOX}{number_of(operator)}/resubmit/"
        first, second = (operator.post(address, {"reason": "r"}, Idempotency_Key="k-1").json() for _ in "12")
        assert first == second
        assert not kept_of(first["token"])
        services.complete(trigger_id="t-1", uuid="u-1", token=second["token"])


def kept_of(*texts: str) -> bool:
    """Return whether a stored answer has one of these texts in it."""
    (kept,) = IdempotencyKey.objects.all()
    return any(text in json.dumps(kept.body) for text in texts)


def resubmitted(operator: ApiClient) -> int:
    number = number_of(operator)
    services.resubmit(in_doubt_id=number, actor=ADA, reason="run it", takes=False)
    return number


def is_waiting(number: int) -> bool:
    return DocumentInDoubt.objects.filter(pk=number, state="resubmitted", taken_at=None).exists()


def post(client: Client, **headers: str) -> HttpResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post(BASE + TAKE, TRIGGER, content_type="application/json", headers=named)
