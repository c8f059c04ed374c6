import pytest

from messages_app.audit.models import AuditEntry
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.errors import DocumentConflict, TriggerNotFound, TriggerSuspended
from messages_app.document_history.services.triggers import resume_trigger, suspend_trigger
from messages_app.document_history.states import Verdict
from tests.support.histories import ADA, make_trigger

pytestmark = pytest.mark.django_db


class TestResumeTrigger:
    def test_allows_it_to_decide_again(self):
        make_trigger()
        suspend_trigger(trigger_id="t-1", because="down")
        with pytest.raises(TriggerSuspended):
            check_document(trigger_id="t-1", uuid="u-1")
        resume_trigger(trigger_id="t-1", actor=ADA, reason="up again")
        assert check_document(trigger_id="t-1", uuid="u-1").verdict is Verdict.NEW
        assert AuditEntry.objects.get(action="resume_trigger").after_state == "active"

    def test_refuses_a_trigger_that_is_not_suspended_or_missing(self):
        make_trigger()
        with pytest.raises(DocumentConflict):
            resume_trigger(trigger_id="t-1", actor=ADA, reason="why not")
        with pytest.raises(TriggerNotFound):
            resume_trigger(trigger_id="t-2", actor=ADA, reason="why not")
