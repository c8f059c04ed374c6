"""The rows that a delivery leaves that is not New: an outcome, and a line in the inbox."""

import pytest

from messages_app.document_history.models import DocumentInDoubt, DocumentOutcome
from messages_app.document_history.services.check import check_document
from tests.support.histories import make_trigger, store_both, store_entry

pytestmark = pytest.mark.django_db

OUTCOME = (
    "trigger_id",
    "document_name",
    "identifier",
    "status",
    "redelivery_count",
    "decided_by",
    "rule",
    "message",
)
LINE = (
    "trigger_id",
    "document_uuid",
    "identifier",
    "document_name",
    "redelivery_count",
    "rule",
    "message",
    "document",
    "deliveries",
    "state",
    "resolved_at",
    "resolved_by",
    "reason",
    "decided_start",
    "taken_at",
    "taken_by",
)
OPEN = {"state": "open", "resolved_by": "", "reason": "", "taken_by": ""}
OPEN |= dict.fromkeys(("resolved_at", "decided_start", "taken_at"))


@pytest.fixture(autouse=True)
def _triggers() -> None:
    for trigger_id in ("t-0", "t-1"):
        make_trigger(trigger_id)


def outcomes() -> list[dict]:
    return list(DocumentOutcome.objects.order_by("outcome_id").values(*OUTCOME))


def lines() -> list[dict]:
    return list(DocumentInDoubt.objects.order_by("in_doubt_id").values(*LINE))


class TestNote:
    def test_keeps_a_duplicate_as_an_outcome(self):
        store_both()
        checked = check_document(
            trigger_id="t-1",
            uuid="u-1",
            track_id="track",
            document_name="invoice",
            redelivery_count=4,
            document={"a": 1},
        )
        assert outcomes() == [
            {
                "trigger_id": "t-1",
                "document_name": "invoice",
                "identifier": "u-1",
                "status": "DUPLICATE",
                "redelivery_count": 4,
                "decided_by": "history",
                "rule": "both_entries",
                "message": checked.message,
            }
        ]
        assert lines() == []

    def test_keeps_one_line_with_the_last_delivery_of_a_document_in_doubt(self):
        for trigger_id, uuid in (("t-1", "u-1"), ("t-1", "u-2"), ("t-0", "u-1")):
            store_entry("processing", trigger_id=trigger_id, uuid=uuid)
        check_document(trigger_id="t-0", uuid="u-1", document={"other": "trigger"})
        check_document(trigger_id="t-1", uuid="u-2", document={"other": "uuid"})
        others = lines()
        asked = {"trigger_id": "t-1", "uuid": "u-1"}
        first = check_document(**asked, document_name="invoice", document={"a": 1}, redelivery_count=4)
        line = {
            "trigger_id": "t-1",
            "document_uuid": "u-1",
            "identifier": "u-1",
            "document_name": "invoice",
            "redelivery_count": 4,
            "rule": "processing_only",
            "message": first.message,
            "document": {"a": 1},
            "deliveries": 1,
        } | OPEN
        assert lines() == [*others, line]
        received_at = DocumentInDoubt.objects.latest("in_doubt_id").received_at
        check_document(**asked, document_name="bill", document={"a": 2}, redelivery_count=5)
        assert lines() == [*others, line | {"redelivery_count": 5, "document": {"a": 2}, "deliveries": 2}]
        check_document(**asked, redelivery_count=6)
        assert lines() == [*others, line | {"redelivery_count": 6, "document": {"a": 2}, "deliveries": 3}]
        last = DocumentInDoubt.objects.latest("in_doubt_id")
        assert last.last_received_at > last.received_at == received_at
        assert [row["redelivery_count"] for row in outcomes()] == [-1, -1, 4, 5, 6]

    def test_cuts_long_texts_and_gives_each_document_without_a_uuid_its_line(self):
        sent = "x" * 301
        for number in range(2):
            check_document(
                trigger_id="t-1", uuid=sent, document_name="n" * 201, document=number, redelivery_count=number
            )
        first, second = lines()
        assert (
            first
            == {
                "trigger_id": "t-1",
                "document_uuid": "",
                "identifier": "x" * 300,
                "document_name": "n" * 200,
                "redelivery_count": 0,
                "rule": "uuid_too_long",
                "message": first["message"],
                "document": 0,
                "deliveries": 1,
            }
            | OPEN
        )
        assert second == first | {"redelivery_count": 1, "document": 1}
        assert [row["identifier"] for row in outcomes()] == ["x" * 300] * 2
