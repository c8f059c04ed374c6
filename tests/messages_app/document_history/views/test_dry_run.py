import pytest

from messages_app.audit.models import AuditEntry
from messages_app.document_history.models import DocumentHistory, DocumentOutcome
from tests.support.histories import make_trigger, store_both
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db
PATH = "/document-history/dry-run/"


class TestDryRun:
    def test_shows_which_rule_fires_and_writes_nothing(self):
        make_trigger()
        store_both()
        audited = AuditEntry.objects.count()
        answer = client_of("support").get(f"{PATH}?trigger_id=t-1&uuid=u-1&redelivery_count=3")
        assert "both_entries" in text_of(answer)
        assert answer.context["result"].verdict == "DUPLICATE"
        assert (DocumentHistory.objects.count(), DocumentOutcome.objects.count()) == (2, 0)
        assert AuditEntry.objects.count() == audited

    def test_compares_identifiers_exactly(self):
        make_trigger()
        store_both()
        assert (
            client_of("support").get(f"{PATH}?trigger_id=t-1&uuid=u-1%20").context["result"].rule
            == "no_entry"
        )

    @pytest.mark.parametrize(
        ("query", "words"),
        [
            ("?trigger_id=", "Select a trigger."),
            ("?trigger_id=t-9", "There is no trigger with this id."),
            ("?trigger_id=t-1&redelivery_count=-2", "greater than or equal to -1"),
        ],
    )
    def test_reports_errors(self, query, words):
        make_trigger()
        answer = client_of("support").get(PATH + query)
        assert answer.status_code == 400
        assert words in text_of(answer)

    def test_begins_with_an_empty_form(self):
        assert "Result" not in text_of(client_of("support").get(PATH))
