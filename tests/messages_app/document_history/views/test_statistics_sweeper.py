import pytest

from messages_app.audit.models import AuditEntry
from messages_app.document_history.services.sweep import sweep_entries
from tests.support.histories import entries_of, make_trigger, store_both
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db
PATH = "/document-history/sweeper/"


class TestSweeper:
    def test_shows_expired_entries_and_the_results_of_runs(self):
        make_trigger()
        store_both(age="3 days")
        sweep_entries()
        store_both(uuid="u-2", age="3 days")
        answer = client_of("support").get(PATH)
        assert answer.context["waiting"] == [("trigger t-1", 2)]
        assert [(run.sweep.removed, run.by_trigger) for run in answer.context["runs"]] == [
            (2, [("trigger t-1", 2)])
        ]
        assert "Remove expired entries</button>" not in text_of(answer)

    def test_removes_expired_entries_now(self):
        make_trigger()
        store_both(age="3 days")
        client = client_of("admin")
        assert client.post(PATH, {"reason": ""}).status_code == 400
        assert entries_of()
        answer = client.post(PATH, {"reason": "the disk is full"}, follow=True)
        assert "Removed 2 expired entries." in text_of(answer)
        assert entries_of() == {}
        assert AuditEntry.objects.get(action="sweep_documents").reason == "the disk is full"

    def test_is_refused_to_operators(self):
        assert client_of("operator").post(PATH, {"reason": "x"}).status_code == 403
