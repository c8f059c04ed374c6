import psycopg
import pytest

from messages_app.document_history.models import DocumentHistory, DocumentInDoubt
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import complete_document
from tests.messages_app.erasure.runs import dry_run, run, run_beside, waiting
from tests.support.eventually import eventually
from tests.support.histories import make_trigger, store_both, store_entry
from tests.support.subjects import KEY, OTHER, RECORDS, changed_since, holding, rows_without
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)


def in_doubt(state: str, **columns: object) -> DocumentInDoubt:
    values = {"trigger_id": "t-1", "identifier": KEY, "document_uuid": KEY, "document": {"customer": KEY}}
    values |= {"rule": "x", "message": f"{KEY}?"}
    return DocumentInDoubt.objects.create(state=state, **values | columns)


def deliver_twice(trigger_id: str, uuid: str) -> None:
    """Process a document and deliver it again as a duplicate."""
    document = {"trigger_id": trigger_id, "uuid": uuid, "content_sha256": "1" * 64}
    complete_document(trigger_id=trigger_id, uuid=uuid, token=check_document(**document).token)
    check_document(**document)


class TestEraseDocuments:
    def test_removes_the_document_from_every_trigger(self):
        for name in ("t-1", "t-2"):
            make_trigger(name)
            for uuid in (KEY, OTHER):
                deliver_twice(name, uuid)
        in_doubt("settled")
        in_doubt("settled", document_uuid=OTHER, identifier=OTHER, document=None, message="")
        before = rows_without(KEY)
        tables = {
            "document_history": 4,
            "document_content": 2,
            "document_outcome": 2,
            "document_in_doubt": 1,
        }
        assert holding(KEY) == tables

        found = run()

        assert holding(KEY) == {}
        assert found.rows == tables
        assert set(changed_since(before, KEY)) == RECORDS

    def test_finds_a_document_of_a_missing_trigger(self):
        store_entry("completed", trigger_id="gone", uuid=KEY)
        assert run().rows == {"document_history": 1}
        assert holding(KEY) == {}

    def test_leaves_a_document_that_is_in_progress(self):
        make_trigger()
        store_entry("processing", uuid=KEY)
        found = run()
        assert DocumentHistory.objects.count() == 1
        [(place, name, why)] = found.left
        assert (place, name) == ("document_history", "t-1")
        assert "complete or abandon it" in why
        assert KEY not in str(found.left)

    def test_leaves_a_document_that_has_begun_again_since_it_was_found(self):
        make_trigger()
        store_entry("completed", uuid=KEY)
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as hub:
            hub.execute("LOCK TABLE document_history IN SHARE ROW EXCLUSIVE MODE")
            erasing = run_beside()
            eventually(lambda: waiting() == 1)
            hub.execute("INSERT INTO document_history VALUES ('t-1', %s, 'processing', now())", [KEY])
            hub.commit()
        assert "complete or abandon it" in str(erasing.result().left)
        assert DocumentHistory.objects.count() == 2

    @pytest.mark.parametrize("state", ["open", "resubmitted"])
    def test_leaves_a_document_about_which_no_one_has_decided(self, state):
        make_trigger()
        in_doubt(state)
        assert "resubmit or settle it" in run().left[0][2]
        assert DocumentInDoubt.objects.count() == 1

    def test_is_reported_before_by_a_dry_run(self):
        make_trigger()
        store_both(uuid=KEY)
        would = dry_run()
        assert DocumentHistory.objects.count() == 2
        assert would.rows == run().rows == {"document_history": 2}
