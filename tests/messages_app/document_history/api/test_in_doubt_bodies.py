"""The bodies of documents in doubt as a whole, with values that all differ."""

from datetime import datetime

import pytest

from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.in_doubt import resubmit_document
from messages_app.document_history.tokens import token_for
from tests.support.api_client import caller
from tests.support.histories import ADA, make_trigger, store_entry

pytestmark = pytest.mark.django_db

INBOX, TAKE = "document-history/in-doubt/", "document-history/take/"


@pytest.fixture
def line() -> DocumentInDoubt:
    """Store a document in doubt whose columns all differ."""
    make_trigger()
    store_entry("processing")
    check_document(trigger_id="t-1", uuid="u-1", document={"secret": 1})
    DocumentInDoubt.objects.update(
        identifier="order 71",
        document_name="order.xml",
        redelivery_count=72,
        rule="processing_only",
        message="Its processing began.",
        deliveries=73,
        received_at="2026-11-02T12:01:00Z",
        last_received_at="2026-11-02T12:02:00Z",
    )
    return DocumentInDoubt.objects.get()


def written(moment: datetime | None) -> str | None:
    return moment and moment.isoformat().replace("+00:00", "Z")


def body_of(line: DocumentInDoubt, **changes: object) -> dict[str, object]:
    values = {
        "in_doubt_id": line.pk,
        "trigger_id": "t-1",
        "document_uuid": "u-1",
        "identifier": "order 71",
        "document_name": "order.xml",
        "redelivery_count": 72,
        "rule": "processing_only",
        "message": "Its processing began.",
        "deliveries": 73,
        "received_at": "2026-11-02T12:01:00Z",
        "last_received_at": "2026-11-02T12:02:00Z",
        "state": "open",
        "resolved_at": None,
        "resolved_by": "",
        "reason": "",
        "taken_at": None,
        "taken_by": "",
    }
    return values | changes


class TestInbox:
    def test_has_all_values_of_open_and_of_decided_documents(self, line):
        operator = caller("operator", username="oda")
        assert operator.get(f"{INBOX}{line.pk}/").json() == body_of(line)
        DocumentInDoubt.objects.update(
            state="resubmitted",
            resolved_at="2026-11-02T12:03:00Z",
            resolved_by="bob",
            reason="run it",
            taken_at="2026-11-02T12:04:00Z",
            taken_by="orders",
        )
        decided = body_of(
            line,
            state="resubmitted",
            resolved_at="2026-11-02T12:03:00Z",
            resolved_by="bob",
            reason="run it",
            taken_at="2026-11-02T12:04:00Z",
            taken_by="orders",
        )
        assert operator.get(INBOX).json()["results"] == [decided]


class TestDecisions:
    def test_to_resubmit_answers_with_the_uuid_the_token_and_the_line(self, line):
        answer = caller("operator", username="oda").post(
            f"{INBOX}{line.pk}/resubmit/", {"reason": "run it again"}
        )
        line.refresh_from_db()
        assert answer.json() == {
            "status": "NEW",
            "uuid": "u-1",
            "token": token_for("t-1", "u-1", line.decided_start),
            "in_doubt": body_of(
                line,
                state="resubmitted",
                resolved_at=written(line.resolved_at),
                resolved_by="oda",
                reason="run it again",
                taken_at=written(line.taken_at),
                taken_by="oda",
            ),
        }
        assert line.taken_at is not None

    def test_to_settle_answers_with_the_line(self, line):
        answer = caller("operator", username="oda").post(f"{INBOX}{line.pk}/settle/", {"reason": "it ran"})
        line.refresh_from_db()
        assert answer.json() == body_of(
            line,
            state="settled",
            resolved_at=written(line.resolved_at),
            resolved_by="oda",
            reason="it ran",
        )

    def test_to_resubmit_one_without_a_uuid_has_no_uuid_and_no_token(self, line):
        DocumentInDoubt.objects.update(document_uuid="")
        answer = caller("operator", username="oda").post(f"{INBOX}{line.pk}/resubmit/", {"reason": "run it"})
        body = answer.json()
        assert (body["status"], body["uuid"], "token" in body) == ("NEW", None, False)
        assert (body["in_doubt"]["document_uuid"], body["in_doubt"]["identifier"]) == ("", "order 71")


class TestTake:
    def test_answers_with_the_document_and_its_line(self, line):
        resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="run it", takes=False)
        taken = caller("history_service", username="orders").post(TAKE, {"trigger_id": "t-1"}).json()
        line.refresh_from_db()
        assert taken == {
            "status": "NEW",
            "uuid": "u-1",
            "token": token_for("t-1", "u-1", line.decided_start),
            "document_name": "order.xml",
            "document": {"secret": 1},
            "in_doubt": body_of(
                line,
                state="resubmitted",
                resolved_at=written(line.resolved_at),
                resolved_by="ada",
                reason="run it",
                taken_at=written(line.taken_at),
                taken_by="orders",
            ),
        }
