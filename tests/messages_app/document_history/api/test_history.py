import pytest

from messages_app.audit.models import AuditEntry
from messages_app.document_history.services.check import check_document
from tests.support.api_client import ApiClient, caller, problem
from tests.support.histories import make_trigger, store_both, store_entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def support() -> ApiClient:
    make_trigger()
    return caller("support")


class TestEntries:
    def test_fold_both_entries(self, support):
        store_both()
        store_entry("processing", uuid="u-2", age="5 minutes")
        answer = support.get("document-history/entries/?page_size=1").json()
        (line,) = answer["results"]
        assert (line["document_uuid"], line["state"], line["expired"]) == ("u-1", "both", False)
        second = support.client.get(answer["next"], headers=support.headers).json()
        assert [line["state"] for line in second["results"]] == ["processing"]

    @pytest.mark.parametrize(
        "query",
        ["state=running", "time_from=yesterday", "ordering=token", "page_size=0", "expired=1", "uuid="],
    )
    def test_refuses_unknown_filters(self, support, query):
        assert problem(support.get(f"document-history/entries/?{query}"))["status"] == 400

    def test_treat_wildcards_literally(self, support):
        store_both(uuid="100%")
        store_both(uuid="1000")
        found = support.get("document-history/entries/?uuid_prefix=100%25").json()["results"]
        assert [line["document_uuid"] for line in found] == ["100%"]


class TestStatistics:
    def test_have_the_vendors_columns_and_can_be_cleared(self, support):
        store_both()
        check_document(trigger_id="t-1", uuid="u-1", document_name="invoice", redelivery_count=0)
        (row,) = support.get("document-history/statistics/").json()["results"]
        assert (row["document_name"], row["document_uuid"], row["document_status"]) == (
            "invoice",
            "u-1",
            "DUPLICATE",
        )
        admin = caller("admin", username="grace")
        assert admin.post("document-history/statistics/clear/", {"trigger_id": "t-1"}).status_code == 200
        assert support.get("document-history/statistics/?trigger_id=t-1").json()["results"] == []
        missing = admin.post("document-history/statistics/clear/", {"trigger_id": "t-9"})
        assert problem(missing)["status"] == 404
        admin.post("document-history/statistics/clear/", {"trigger_id": "t-1", "reason": "new month"})
        entries = AuditEntry.objects.filter(action="clear_statistics", outcome="done").order_by("pk")
        assert [entry.reason for entry in entries] == ["No reason was given.", "new month"]
