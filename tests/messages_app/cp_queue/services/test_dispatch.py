import pytest

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue import services
from messages_app.cp_queue.models import CpDispatch, CpMessage, CpReservation, CpRetry
from messages_app.cp_queue.services.dispatch import retry_delays
from tests.support.queues import ADA, guid_of, make_due, remaining_messages, store

pytestmark = pytest.mark.django_db


class TestDispatch:
    def test_leaves_nothing_except_the_log(self):
        guid = store("A")
        store("B", age="1 minute")
        services.get_next(queues="RENDITION", service="W1")
        services.dispatch(guid=guid, service="W1", reason="OK")
        assert not CpMessage.objects.exists()
        assert not CpReservation.objects.exists()
        line = CpDispatch.objects.get()
        assert (line.outcome, line.collapsed, line.actor) == ("done", 1, "")

    def test_accepts_what_was_reserved_outside_the_console(self):
        guid = store("A", lock="W9")
        services.dispatch(guid=guid, service="W9", reason="OK")
        assert CpDispatch.objects.get().reserved_at is None

    def test_does_not_take_another_reservations_time_for_its_own(self):
        """A vendor's server freed and reserved it again, without us."""
        guid = store("A")
        services.get_next(queues="RENDITION", service="W1")
        CpMessage.objects.update(checkguid=guid_of("other"))
        services.dispatch(guid=guid, service="W1", reason="OK")
        assert CpDispatch.objects.get().reserved_at is None

    def test_counts_attempts_until_the_message_ends(self, settings):
        settings.CP_MAX_ATTEMPTS = 5
        guid = store("A")
        for attempts in (1, 2):
            services.get_next(queues="RENDITION", service="W1")
            assert services.dispatch(guid=guid, service="W1", reason="RETRY").attempts == attempts
            make_due(guid)
        services.get_next(queues="RENDITION", service="W1")
        services.reset_service(service="W1", actor=ADA)
        services.get_next(queues="RENDITION", service="W1")
        services.dispatch(guid=guid, service="W1", reason="OK")
        assert list(CpDispatch.objects.order_by("pk").values_list("attempts", flat=True)) == [1, 2, 2]
        assert not CpRetry.objects.exists()

    def test_waits_longer_after_each_attempt(self, settings):
        settings.CP_RETRY_SECONDS, settings.CP_MAX_ATTEMPTS = 10.0, 4
        assert retry_delays() == [10, 20, 40]

    @pytest.mark.parametrize("reason", ["", "   ", "x" * 1001, "a\0b"])
    def test_refuses_an_invalid_reason(self, reason):
        guid = store("A", lock="W1")
        with pytest.raises(services.InvalidParameter) as refused:
            services.dispatch(guid=guid, service="W1", reason=reason)
        assert refused.value.field == "Reason"
        assert remaining_messages() == {guid: "W1"}


class TestDispatchForService:
    def test_needs_no_token_and_is_audited(self):
        guid = store("A")
        services.get_next(queues="RENDITION", service="W1", wants_token=True)
        services.dispatch_for_service(guid=guid, service="W1", reason="OK", actor=ADA, why="it was done")
        assert not remaining_messages()
        assert CpDispatch.objects.get().actor == "ada"
        entry = AuditEntry.objects.get(subject=guid)
        assert (entry.action, entry.after_state, entry.reason) == (
            "dispatch_cp_message",
            "done",
            "it was done",
        )

    def test_does_not_change_what_another_service_holds_now(self):
        guid = store("A", lock="W2")
        with pytest.raises(services.MessageConflict) as refused:
            services.dispatch_for_service(guid=guid, service="W1", reason="OK", actor=ADA)
        assert refused.value.code == "not_owner"
        assert not AuditEntry.objects.exists()
