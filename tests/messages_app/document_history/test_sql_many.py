"""The rows of the statement that starts many documents, in a world whose rows each miss one condition."""

from datetime import datetime

import pytest
from django.db.models.functions import Now

from messages_app.core.statements import Statements
from messages_app.document_history.models import DocumentContent, DocumentHistory, DocumentTrigger
from tests.support.factories import NOON
from tests.support.histories import make_trigger
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db

statements = Statements("messages_app.document_history")


def start(*asked: tuple[str, str | None, str | None]) -> list[tuple[datetime | None, str | None]]:
    """Start documents of (trigger, document, digest); return (time, None) of each, or (None, trigger)."""
    triggers, uuids, digests = (list(column) for column in zip(*asked, strict=True))
    rows = statements.fetch_rows("start_many", {"trigger_ids": triggers, "uuids": uuids, "sha256s": digests})
    return [(row[0], row[1]) for row in rows]


def entries() -> set[tuple[str, str, str]]:
    return set(DocumentHistory.objects.values_list("trigger_id", "document_uuid", "status"))


@pytest.fixture(autouse=True)
def triggers() -> None:
    for trigger_id in ("t-1", "t-2", "silent", "unused", "stopped", "gone"):
        make_trigger(trigger_id)
    DocumentTrigger.objects.filter(pk="silent").update(detect_duplicates=False)
    DocumentTrigger.objects.filter(pk="unused").update(use_history=False)
    DocumentTrigger.objects.filter(pk="stopped").update(suspended_at=Now())
    DocumentTrigger.objects.filter(pk="gone").update(deleted_at=Now())
    for trigger_id, uuid, status in (
        ("t-1", "done", "processing"),
        ("t-1", "done", "completed"),
        ("t-1", "begun", "processing"),
        ("t-1", "only completed", "completed"),
        ("t-2", "new", "completed"),
    ):
        DocumentHistory.objects.create(trigger_id=trigger_id, document_uuid=uuid, status=status, time=NOON)


def test_starts_each_document_that_its_trigger_does_not_know():
    before = entries()
    asked = [
        ("t-2", "z", "5"),
        ("t-1", "new", "1"),
        ("t-1", "done", "2"),
        ("t-1", "begun", "3"),
        ("t-1", "only completed", "4"),
        ("t-1", "new", "9"),
        ("t-2", "new", "6"),
        ("t-1", None, "7"),
        *((trigger_id, "new", "8") for trigger_id in ("silent", "unused", "stopped", "gone", "missing")),
        ("t-1", "plain", None),
    ]
    found = start(*asked)
    now = transaction_time()
    started = [(trigger_id, uuid) for (trigger_id, uuid, _), (at, _) in zip(asked, found, strict=True) if at]
    assert started == [("t-2", "z"), ("t-1", "new"), ("t-1", "plain")]
    assert all(at >= now and name is None for at, name in found if at)
    assert [name for at, name in found if at is None] == [
        *("t-1", "t-1", "t-1", "t-1", "t-2", "t-1"),
        *("silent", "unused", "stopped", None, None),
    ]
    assert entries() - before == {(trigger_id, uuid, "processing") for trigger_id, uuid in started}
    assert before <= entries()
    contents = DocumentContent.objects.values_list("trigger_id", "document_uuid", "sha256")
    assert set(contents) == {("t-2", "z", "5"), ("t-1", "new", "1")}


def test_keeps_the_digest_of_the_last_start():
    for trigger_id, uuid in (("t-1", "new"), ("t-1", "done"), ("t-2", "new")):
        DocumentContent.objects.create(trigger_id=trigger_id, document_uuid=uuid, sha256="0", time=NOON)
    ((at, _), _, _) = start(("t-1", "new", "1"), ("t-1", "done", "2"), ("t-1", "new", "3"))
    columns = ("trigger_id", "document_uuid", "sha256", "time")
    assert set(DocumentContent.objects.values_list(*columns)) == {
        ("t-1", "new", "1", at),
        ("t-1", "done", "0", NOON),
        ("t-2", "new", "0", NOON),
    }
