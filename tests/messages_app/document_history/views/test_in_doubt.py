import json
import threading

import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import complete_document
from messages_app.document_history.services.in_doubt import settle_document
from messages_app.document_history.states import words_of
from tests.support.histories import ADA, entries_of, make_trigger, store_entry
from tests.support.page_client import client_of, reader_of, text_of
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db
INBOX = "/document-history/in-doubt/"


def doubt(**more: object) -> DocumentInDoubt:
    make_trigger()
    store_entry("processing")
    check_document(trigger_id="t-1", uuid="u-1", redelivery_count=1, **more)
    return DocumentInDoubt.objects.get()


class TestInDoubtList:
    def test_shows_each_with_its_reason(self):
        doubt(document_name="invoice")
        page = text_of(client_of("support").get(f"{INBOX}?state=open&trigger_id=t-1"))
        assert "Processing started and did not end" in page
        assert "invoice" in page
        assert "No documents found" in text_of(
            client_of("support", username="bob").get(f"{INBOX}?state=settled")
        )


class TestInDoubtPage:
    def test_offers_a_decision_to_operators_only(self):
        path = f"{INBOX}{doubt().pk}/"
        assert "Resubmit document</button>" in text_of(client_of("operator").get(path))
        assert "Resubmit document</button>" not in text_of(client_of("support", username="sue").get(path))
        assert client_of("support", username="eve").get(f"{INBOX}999999999/").status_code == 404

    def test_has_what_belongs_to_its_document(self):
        line = doubt(document="<a>7</a>")
        check_document(trigger_id="t-1", uuid="u-2")
        context = client_of("operator").get(f"{INBOX}{line.pk}/").context
        assert (context["line"].pk, context["trigger"].pk) == (line.pk, "t-1")
        assert context["why"] == words_of(line.rule)
        assert context["entry"].document_uuid == "u-1"
        ids = {name: context[f"{name}_form"].auto_id for name in ("resubmit", "settle")}
        assert ids == {"resubmit": "resubmit_%s", "settle": "settle_%s"}


class TestDecide:
    @pytest.mark.parametrize("how", ["resubmit", "settle"])
    def test_requires_a_reason(self, how):
        line = doubt()
        answer = client_of("operator").post(f"{INBOX}{line.pk}/{how}/", {"reason": " "})
        assert answer.status_code == 400
        assert "Enter a reason" in text_of(answer)
        line.refresh_from_db()
        assert line.state == "open"

    def test_settles_with_an_audit_that_leads_back(self):
        line = doubt()
        client = client_of("operator")
        answer = client.post(f"{INBOX}{line.pk}/settle/", {"reason": "It is in the ledger."}, follow=True)
        assert "Document settled. Later copies are duplicates." in text_of(answer)
        assert set(entries_of()) == {"processing", "completed"}
        entry = AuditEntry.objects.get(action="settle_document")
        assert (entry.actor, entry.subject_kind, entry.subject) == ("ada", "in_doubt", str(line.pk))
        assert entry.details["trigger_id"] == "t-1"
        assert f'href="{INBOX}{line.pk}/"' in text_of(client.get("/audit/"))

    def test_shows_the_second_user_who_was_first(self):
        line = doubt()
        settle_document(in_doubt_id=line.pk, actor=ADA, reason="done")
        answer = client_of("operator", username="bob").post(
            f"{INBOX}{line.pk}/resubmit/", {"reason": "run it"}
        )
        assert answer.status_code == 409
        assert "Already settled by ada. Nothing was changed." in text_of(answer)

    def test_reports_it_when_it_was_completed_meanwhile(self):
        make_trigger()
        token = check_document(trigger_id="t-1", uuid="u-1").token
        check_document(trigger_id="t-1", uuid="u-1")
        complete_document(trigger_id="t-1", uuid="u-1", token=token)
        line = DocumentInDoubt.objects.get()
        answer = client_of("operator").post(f"{INBOX}{line.pk}/resubmit/", {"reason": "run it"})
        assert answer.status_code == 409
        assert "completed meanwhile" in text_of(answer)

    def test_records_who_was_refused(self):
        line = doubt()
        answer = client_of("support").post(f"{INBOX}{line.pk}/settle/", {"reason": "done"})
        assert answer.status_code == 403
        entry = AuditEntry.objects.get(action="settle_document")
        assert (entry.outcome, entry.subject) == ("refused", str(line.pk))


@pytest.mark.django_db(transaction=True)
class TestDecideAtOnce:
    def test_is_done_by_one_of_two_people(self):
        line = doubt()
        start = threading.Barrier(2)

        clients = {how: client_of("operator", username=how) for how in ("resubmit", "settle")}

        def decide(how: str) -> int:
            start.wait(timeout=20)
            status = clients[how].post(f"{INBOX}{line.pk}/{how}/", {"reason": how}).status_code
            connection.close()
            return status

        answers = in_threads(lambda: decide("resubmit"), lambda: decide("settle"))
        assert sorted(answers) == [302, 409]
        assert AuditEntry.objects.filter(subject_kind="in_doubt", subject=line.pk).count() == 1


class TestTake:
    def test_hands_a_resubmitted_document_over_once_with_its_token(self):
        line = doubt()
        client = client_of("operator")
        client.post(f"{INBOX}{line.pk}/resubmit/", {"reason": "run it"})
        taken = client.post(f"{INBOX}{line.pk}/take/")
        token = taken.context["resubmitted"].token
        asked = {"trigger_id": "t-1", "uuid": "u-1", "token": token}
        assert json.loads(taken.context["completion"]) == asked
        assert token in text_of(taken)
        assert client.post(f"{INBOX}{line.pk}/take/").status_code == 409
        assert token not in text_of(client.get(f"{INBOX}{line.pk}/"))
        complete_document(trigger_id="t-1", uuid="u-1", token=token)
        assert set(entries_of()) == {"processing", "completed"}

    def test_refuses_a_document_that_was_not_resubmitted(self):
        line = doubt()
        answer = client_of("operator").post(f"{INBOX}{line.pk}/take/")
        assert answer.status_code == 409
        assert "not resubmitted" in text_of(answer)


class TestContent:
    def test_is_masked_except_for_users_with_permission_to_read_payloads(self):
        line = doubt(document={"customer": "Ada Lovelace"})
        path = f"{INBOX}{line.pk}/document/"
        assert "Lovelace" not in text_of(client_of("operator").get(path))
        assert not AuditEntry.objects.filter(action="view_document").exists()
        assert "Lovelace" in text_of(reader_of("operator", username="bob").get(path))
        assert AuditEntry.objects.get(action="view_document").subject == str(line.pk)

    def test_shows_a_text_unchanged(self):
        line = doubt(document="<a>7</a>")
        page = text_of(reader_of("support").get(f"{INBOX}{line.pk}/document/"))
        assert "xml" in page.lower()
