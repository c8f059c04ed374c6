import pytest

from messages_app.audit.models import AuditEntry
from messages_app.document_history import services
from tests.api_client import ApiClient, caller, problem
from tests.histories import ADA, make_trigger, store_entry

pytestmark = pytest.mark.django_db

INBOX = "document-history/in-doubt/"


@pytest.fixture
def operator() -> ApiClient:
    """Give an operator, beside a document in doubt."""
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
    def test_refuses_what_it_does_not_know(self, operator, query):
        assert problem(operator.get(f"{INBOX}?{query}"))["status"] == 400


class TestDeciding:
    @pytest.mark.parametrize("how", ["resubmit", "settle"])
    def test_needs_a_reason_and_the_right(self, operator, how):
        address = f"{INBOX}{number_of(operator)}/{how}/"
        assert problem(operator.post(address, {}))["errors"][0]["field"] == "reason"
        support = caller("support", username="sue")
        assert problem(support.post(address, {"reason": "r"}))["status"] == 403

    @pytest.mark.parametrize("text", ["abc", "-1", "1.5", "9" * 30, "1_0"])
    def test_knows_no_other_id(self, operator, text):
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

    def test_undoes_a_resubmission_that_is_refused(self, operator):
        number = number_of(operator)
        store_entry("completed")
        refused = operator.post(f"{INBOX}{number}/resubmit/", {"reason": "r"}, Idempotency_Key="k-1")
        assert problem(refused)["current_state"] == "completed"
        assert number_of(operator) == number


class TestTake:
    def test_gives_a_resubmitted_document_once_with_its_content(self, operator):
        services.resubmit(in_doubt_id=number_of(operator), actor=ADA, reason="run it", takes=False)
        taken = operator.post("document-history/take/", {"trigger_id": "t-1"}).json()
        assert (taken["status"], taken["uuid"], taken["document"]) == ("NEW", "u-1", {"secret": 1})
        services.complete(trigger_id="t-1", uuid="u-1", token=taken["token"])
        nothing = operator.post("document-history/take/", {"trigger_id": "t-1"}).json()
        assert set(nothing.values()) == {None}

    def test_needs_the_right(self, operator):
        answer = caller("support", username="sue").post("document-history/take/", {"trigger_id": "t-1"})
        assert problem(answer)["status"] == 403
