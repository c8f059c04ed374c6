import json
from io import StringIO

import pytest
from django.core.management import call_command

from messages_app.document_history.models import DocumentSweep
from tests.support.audit_entries import audit_rows, by_system
from tests.support.histories import make_trigger, store_entry

pytestmark = pytest.mark.django_db(transaction=True)


def sweep(*options: str) -> str:
    out = StringIO()
    call_command("sweep_document_history", *options, stdout=out)
    return out.getvalue()


class TestSweepDocumentHistory:
    def test_removes_expired_entries_and_records_the_reason(self):
        make_trigger()
        for uuid, age in (("u-1", "3 days"), ("u-2", "4 days"), ("u-3", "1 minute"), ("u-4", "5 days")):
            store_entry("processing", uuid=uuid, age=age)
        store_entry("completed", uuid="u-4", age="5 days")
        assert sweep("--reason", "the disk is full") == "Removed 4 entries.\n"
        (row,) = audit_rows("sweep_documents")
        run = DocumentSweep.objects.get()
        actor = row["actor"]
        assert actor.startswith("command line")
        assert row == by_system(
            "sweep_documents", actor=actor, reason="the disk is full", details={"sweep_id": run.pk}
        )
        assert (run.actor, run.removed) == (actor, 4)
        store_entry("processing", uuid="u-5", age="6 days")
        assert sweep() == "Removed 1 entry.\n"
        assert json.loads(sweep("--json")) == {"removed": 0}
