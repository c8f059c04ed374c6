import pytest

from messages_app.demo.document_intake import IDS
from messages_app.demo.loader import load_demo
from messages_app.document_history.models import (
    DocumentHistory,
    DocumentInDoubt,
    DocumentOpen,
    DocumentOutcome,
    DocumentSweep,
)
from messages_app.document_history.services.check import check_document
from tests.support.histories import make_trigger, store_both

pytestmark = pytest.mark.django_db


def load(seed: int = 1) -> None:
    load_demo(count=500, seed=seed, on_progress=lambda done: None)


class TestLoadIntake:
    def test_leaves_something_to_see_on_every_page(self):
        load()
        assert set(DocumentHistory.objects.values_list("trigger_id", flat=True)) == {
            IDS["order"],
            IDS["billing"],
            IDS["payment"],
        }
        assert DocumentOpen.objects.count() == 12
        rules = set(DocumentInDoubt.objects.values_list("rule", flat=True))
        assert rules == {"processing_only", "no_uuid", "uuid_too_long", "redelivered"}
        assert set(DocumentInDoubt.objects.values_list("state", flat=True)) == {"open", "settled"}
        assert DocumentOutcome.objects.filter(status="DUPLICATE").count() == 120
        assert DocumentSweep.objects.count() == 24
        times = list(DocumentInDoubt.objects.order_by("pk").values_list("received_at", flat=True))
        assert times == sorted(times)

    @pytest.mark.slow
    def test_makes_copies_of_its_documents_duplicates_or_doubtful(self):
        load()
        done = DocumentHistory.objects.filter(status="completed").first()
        assert check_document(trigger_id=done.trigger_id, uuid=done.document_uuid).verdict == "DUPLICATE"
        begun = DocumentOpen.objects.first()
        assert check_document(trigger_id=begun.trigger_id, uuid=begun.document_uuid).verdict == "IN_DOUBT"

    @pytest.mark.slow
    def test_does_not_change_an_existing_history(self):
        make_trigger()
        store_both()
        load()
        assert DocumentHistory.objects.count() == 2
