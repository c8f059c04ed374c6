import json

import pytest
from django.http import HttpResponse
from django.test import Client

from messages_app.access.models import IdempotencyKey
from messages_app.access.unmasking_views import mask_again
from messages_app.audit.models import AuditEntry
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import complete_document
from messages_app.document_history.services.in_doubt import resubmit_document
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
    check_document(trigger_id="t-1", uuid="u-1", document={"secret": 1})
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


class TestOne:
    def test_is_as_in_the_list(self, operator):
        (line,) = operator.get(INBOX).json()["results"]
        assert operator.get(f"{INBOX}{line['in_doubt_id']}/").json() == line

    @pytest.mark.parametrize("ending", ["", "document/"])
    @pytest.mark.parametrize("text", ["777", "abc", "-1", "9" * 30, "1_0"])
    def test_of_another_id_is_not_found(self, operator, text, ending):
        assert problem(operator.get(f"{INBOX}{text}/{ending}"))["code"] == "not_found"


class TestContent:
    def content(self, client: ApiClient, **headers: str) -> dict:
        return client.get(f"{INBOX}{number_of(client)}/document/", **headers).json()

    def views(self) -> list[tuple]:
        entries = AuditEntry.objects.filter(action="view_document")
        return list(entries.values_list("actor", "token_name", "subject_kind", "subject"))

    def test_is_shown_to_those_with_the_right_and_recorded(self, operator):
        reader = caller("support", "view_payload", username="rae")
        assert self.content(reader) == {
            "content": '{"secret": 1}',
            "content_type": "application/json",
            "bytes": 13,
            "masked": False,
        }
        (number,) = DocumentInDoubt.objects.values_list("pk", flat=True)
        assert self.views() == [("rae", "test", "in_doubt", str(number))]

    def test_is_masked_for_others_and_not_recorded(self, operator):
        shown = self.content(operator)
        assert (shown["masked"], shown["bytes"], shown["content"]) == (True, 13, None)
        assert self.views() == []

    def test_needs_the_scope_of_payloads(self, operator):
        reader = make_user("support", "view_payload", username="rae")
        assert self.content(ApiClient(reader, scopes=["history:read"]))["masked"]
        other = make_user("support", "view_payload", username="sue")
        assert not self.content(ApiClient(other, scopes=["history:read", "payload:read"]))["masked"]
        assert [actor for actor, *_ in self.views()] == ["sue"]

    def test_needs_a_reason_in_a_session(self, operator):
        address = f"{BASE}{INBOX}{number_of(operator)}/document/"
        browser = client_of("support", "view_payload", username="rae")
        assert browser.get(address).json()["masked"]
        show_values(browser)
        assert not browser.get(address).json()["masked"]

    def test_that_is_a_text_is_returned_as_it_is(self, operator):
        store_entry("processing", uuid="u-3")
        check_document(trigger_id="t-1", uuid="u-3", document="<a>ä</a>")
        reader = caller("support", "view_payload", username="rae")
        shown = self.content(reader)
        assert (shown["content"], shown["content_type"]) == ("<a>ä</a>", "application/xml")

    def test_that_was_not_sent_is_null(self, operator):
        store_entry("processing", uuid="u-3")
        check_document(trigger_id="t-1", uuid="u-3")
        reader = caller("support", "view_payload", username="rae")
        assert (self.content(reader)["content"], self.views()) == (None, [])

    def test_may_be_left_out(self, operator):
        reader = caller("support", "view_payload", username="rae")
        number = number_of(reader)
        assert reader.get(f"{INBOX}{number}/document/?fields=bytes").json() == {"bytes": 13}

    def test_of_a_large_text_may_be_chosen_separately(self, operator):
        store_entry("processing", uuid="u-3")
        check_document(trigger_id="t-1", uuid="u-3", document="x" * 2_000_000)
        reader = caller("support", "view_payload", username="rae")
        answer = reader.get(f"{INBOX}{number_of(reader)}/document/?fields=content,bytes")
        assert json.loads(b"".join(answer)) == {"content": "x" * 2_000_000, "bytes": 2_000_000}
        alone = reader.get(f"{INBOX}{number_of(reader)}/document/?fields=content")
        assert json.loads(b"".join(alone)) == {"content": "x" * 2_000_000}


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
        resubmit_document(in_doubt_id=number_of(operator), actor=ADA, reason="run it", takes=False)
        service = caller("history_service", username="orders")
        taken = service.post(TAKE, TRIGGER).json()
        assert (taken["status"], taken["uuid"], taken["document"]) == ("NEW", "u-1", {"secret": 1})
        complete_document(trigger_id="t-1", uuid="u-1", token=taken["token"])
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
        complete_document(trigger_id="t-1", uuid="u-1", token=second["token"])


def kept_of(*texts: str) -> bool:
    """Return whether a stored answer has one of these texts in it."""
    (kept,) = IdempotencyKey.objects.all()
    return any(text in json.dumps(kept.body) for text in texts)


def resubmitted(operator: ApiClient) -> int:
    number = number_of(operator)
    resubmit_document(in_doubt_id=number, actor=ADA, reason="run it", takes=False)
    return number


def is_waiting(number: int) -> bool:
    return DocumentInDoubt.objects.filter(pk=number, state="resubmitted", taken_at=None).exists()


def post(client: Client, **headers: str) -> HttpResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post(BASE + TAKE, TRIGGER, content_type="application/json", headers=named)
