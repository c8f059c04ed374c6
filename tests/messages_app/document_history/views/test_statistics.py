import pytest

from messages_app.audit.models import AuditEntry
from messages_app.document_history.services.check import check_document
from tests.support.histories import make_trigger, store_both, store_entry
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db
PATH = "/document-history/statistics/"


@pytest.fixture
def told() -> None:
    """One Duplicate of t-1, one In Doubt of t-2."""
    make_trigger()
    make_trigger("t-2")
    store_both()
    store_entry("processing", trigger_id="t-2", uuid="u-2")
    check_document(trigger_id="t-1", uuid="u-1", document_name="invoice", redelivery_count=2)
    check_document(trigger_id="t-2", uuid="u-2")


class TestStatistics:
    def test_draws_and_lists_rejected_documents(self, told):
        answer = client_of("support").get(PATH)
        assert answer.context["picture"].totals == [("DUPLICATE", 1), ("IN_DOUBT", 1)]
        assert answer.context["picture"].histogram.note == ""
        page = text_of(answer)
        for words in ("Document name", "Document UUID", "Document status", "invoice", "redelivery count 2"):
            assert words in page

    @pytest.mark.parametrize(
        ("query", "uuids"),
        [
            ("?trigger_id=t-1", ["u-1"]),
            ("?status=IN_DOUBT", ["u-2"]),
            ("?at_from=-1h", ["u-2", "u-1"]),
            ("?at_to=-1h", []),
        ],
    )
    def test_is_filtered_together_with_its_chart(self, told, query, uuids):
        answer = client_of("support").get(PATH + query)
        assert {row.identifier for row, *_ in answer.context["lines"]} == set(uuids)
        assert answer.context["picture"].total == len(uuids)

    def test_reports_errors_in_its_address(self):
        assert client_of("support").get(f"{PATH}?status=NEW").status_code == 400


class TestClearStatistics:
    def test_hides_those_of_one_trigger_and_leaves_decisions_unchanged(self, told):
        client = client_of("admin")
        answer = client.post(f"{PATH}clear/", {"trigger_id": "t-1", "reason": "seen"}, follow=True)
        assert "Statistics cleared. The history and its decisions did not change." in text_of(answer)
        entry = AuditEntry.objects.get(action="clear_statistics")
        assert (entry.subject_kind, entry.subject, entry.reason) == ("trigger", "t-1", "seen")
        assert [row.identifier for row, *_ in answer.context["lines"]] == ["u-2"]
        assert answer.context["picture"].total == 1
        assert check_document(trigger_id="t-1", uuid="u-1").verdict == "DUPLICATE"

    def test_hides_those_of_all_triggers(self, told):
        answer = client_of("admin").post(f"{PATH}clear/", {"reason": "seen"}, follow=True)
        assert (answer.context["lines"], answer.context["picture"].total) == ([], 0)
        other = client_of("admin", username="bob").post(
            f"{PATH}clear/", {"trigger_id": "t-9", "reason": "x"}, follow=True
        )
        assert "No trigger has the id" in text_of(other)

    def test_requires_a_reason_and_the_permission(self, told):
        answer = client_of("admin").post(f"{PATH}clear/", {"reason": ""}, follow=True)
        assert "Enter a reason" in text_of(answer)
        assert len(answer.context["lines"]) == 2
        assert client_of("operator", username="bob").post(f"{PATH}clear/", {"reason": "x"}).status_code == 403
