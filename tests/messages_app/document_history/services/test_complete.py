import pytest

from messages_app.document_history.models import DocumentHistory
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import abandon_document, complete_document
from messages_app.document_history.services.errors import LeaseLost
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.document_history.states import Verdict
from messages_app.document_history.tokens import token_for
from tests.support.histories import entries_of, make_trigger, store_entry

pytestmark = pytest.mark.django_db


class TestComplete:
    def test_joins_an_entry_that_an_earlier_holder_wrote_too_late(self):
        """A sweep removed the entry of the first check; another check began while the first completed."""
        make_trigger()
        store_entry("completed", age="3 days")
        began = store_entry("processing")
        complete_document(trigger_id="t-1", uuid="u-1", token=token_for("t-1", "u-1", began))
        assert entries_of() == {"processing": began, "completed": began}

    def test_leaves_a_younger_one_unchanged(self):
        make_trigger()
        old = store_entry("processing", age="3 days")
        sweep_entries()
        young = check_document(trigger_id="t-1", uuid="u-1")
        complete_document(trigger_id="t-1", uuid="u-1", token=young.token)
        with pytest.raises(LeaseLost):
            complete_document(trigger_id="t-1", uuid="u-1", token=token_for("t-1", "u-1", old))
        times = entries_of()
        assert times["processing"] == times["completed"] > old


class TestAbandon:
    def test_allows_the_document_to_come_again_as_new(self):
        make_trigger()
        token = check_document(trigger_id="t-1", uuid="u-1").token
        assert abandon_document(trigger_id="t-1", uuid="u-1", token=token)
        assert check_document(trigger_id="t-1", uuid="u-1", redelivery_count=1).verdict is Verdict.NEW
        # The token of the first check is no longer valid.
        assert not abandon_document(trigger_id="t-1", uuid="u-1", token=token)

    def test_keeps_the_entries_of_a_completed_document(self):
        make_trigger()
        token = check_document(trigger_id="t-1", uuid="u-1").token
        complete_document(trigger_id="t-1", uuid="u-1", token=token)
        assert not abandon_document(trigger_id="t-1", uuid="u-1", token=token)
        assert set(entries_of()) == {"processing", "completed"}

    def test_deletes_only_its_own_document_among_those_of_the_same_moment(self):
        make_trigger()
        began = store_entry("processing")
        for uuid, status in (("u-2", "processing"), ("u-3", "completed"), ("u-3", "processing")):
            DocumentHistory.objects.create(trigger_id="t-1", document_uuid=uuid, status=status, time=began)
        assert abandon_document(trigger_id="t-1", uuid="u-1", token=token_for("t-1", "u-1", began))
        assert entries_of("u-1") == {}
        assert entries_of("u-2") == {"processing": began}
        assert entries_of("u-3") == {"processing": began, "completed": began}
