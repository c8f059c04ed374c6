import pytest

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue.errors import MessageConflict, MessageNotFound
from messages_app.cp_queue.models import CpDeferred, CpMessage, CpRetry
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import delete_message, send_on
from messages_app.cp_queue.services.pickup import get_next
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.queues import ADA, guid_of, remaining_messages, store

pytestmark = pytest.mark.django_db


@pytest.fixture
def deferred() -> str:
    guid = store("A")
    get_next(queues="RENDITION", service="W1")
    dispatch_message(guid=guid, service="W1", reason="RETRY")
    return guid


class TestDelete:
    def test_removes_a_free_message_and_audits_the_user(self):
        guid = store("A", "PAGECOUNT", 71, ostype=82)
        created = CpMessage.objects.get().created
        assert delete_message(guid=guid.lower(), actor=GRACE, reason="the object is gone") == guid
        assert not remaining_messages()
        assert audit_rows() == [
            by_grace(
                "delete_cp_message",
                subject_kind="cp_message",
                subject=guid,
                before_state="free",
                after_state="deleted",
                reason="the object is gone",
                details={"queue": "PAGECOUNT", "osid": "71", "ostype": "82", "created": str(created)},
            )
        ]

    def test_removes_a_deferred_message_with_its_attempts(self, deferred):
        delete_message(guid=deferred, actor=ADA)
        assert not remaining_messages()
        assert not CpRetry.objects.exists()

    def test_does_not_change_what_a_service_holds(self):
        guid = store("A", lock="W1")
        with pytest.raises(MessageConflict) as refused:
            delete_message(guid=guid, actor=ADA)
        assert refused.value.current_state == "reserved"
        assert remaining_messages() == {guid: "W1"}
        assert not AuditEntry.objects.exists()

    def test_rejects_any_other_message(self):
        with pytest.raises(MessageNotFound):
            delete_message(guid=guid_of("Z"), actor=ADA)


class TestSendOn:
    def entry(self, guid: str, before: str, **columns: object) -> dict[str, object]:
        one = {"subject_kind": "cp_message", "subject": guid}
        return by_grace("send_on_cp_message", **one, before_state=before, after_state="free", **columns)

    def test_changes_no_column_of_the_message(self):
        guid = store("A", "PAGECOUNT", 71, ostype=82, age="1 hour", lock="W1")
        columns = ("messageguid", "queuename", "osid", "ostype", "created")
        (before,) = CpMessage.objects.values_list(*columns)
        dispatch_message(guid=guid, service="W1", reason="RETRY")
        send_on(guid=guid, actor=ADA)
        assert list(CpMessage.objects.values_list(*columns, "lock_service")) == [(*before, None)]

    def test_lets_a_deferred_message_be_handed_out_now(self, deferred):
        assert get_next(queues="RENDITION", service="W1") is None
        send_on(guid=deferred, actor=GRACE, reason="the converter is back")
        assert audit_rows() == [self.entry(deferred, "deferred", reason="the converter is back")]
        assert get_next(queues="RENDITION", service="W1").guid == deferred
        assert not CpRetry.objects.exists()

    def test_lets_a_parked_message_be_handed_out(self, settings):
        settings.CP_MAX_ATTEMPTS = 1
        guid = store("A")
        get_next(queues="RENDITION", service="W1")
        assert dispatch_message(guid=guid, service="W1", reason="RETRY").outcome == "parked"
        send_on(guid=guid, actor=GRACE)
        assert get_next(queues="RENDITION", service="W1").guid == guid
        assert audit_rows() == [self.entry(guid, "parked")]

    @pytest.mark.parametrize(("lock", "state"), [(None, "free"), ("W1", "reserved")])
    def test_refuses_a_message_that_does_not_wait(self, lock, state):
        guid = store("A", lock=lock)
        with pytest.raises(MessageConflict) as refused:
            send_on(guid=guid, actor=ADA)
        assert (refused.value.code, refused.value.current_state) == ("not_waiting", state)
        assert not CpDeferred.objects.exists()
        assert audit_rows() == []
