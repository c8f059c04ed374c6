from datetime import timedelta

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.cp_queue.models import CpDispatch, CpMessage, CpReservation
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import dispatch_all_for_service
from messages_app.cp_queue.services.pickup import get_next
from tests.support.queues import ADA, guid_of, remaining_messages, store

pytestmark = pytest.mark.django_db


class TestDispatchAllForService:
    def test_dispatches_only_messages_that_the_service_held_at_the_given_time(self):
        store("A", age="1 minute")
        store("B", osid=6)
        for _ in range(2):
            get_next(queues="RENDITION", service="W9", wants_token=True)
        CpReservation.objects.filter(messageguid=guid_of("B")).update(
            reserved_at=database_clock() + timedelta(minutes=1)
        )
        # Reserved outside the console, no one knows since when; and another's.
        store("C", osid=7, lock="W9")
        store("D", osid=8, lock="W8")
        asked = {"service": "W9", "reason": "RETRY", "actor": ADA, "why": "its host is gone"}
        outcomes = dispatch_all_for_service(before=database_clock(), **asked)
        assert outcomes == {"deferred": 2}
        assert remaining_messages() == {
            guid_of("A"): None,
            guid_of("B"): "W9",
            guid_of("C"): None,
            guid_of("D"): "W8",
        }
        assert set(CpDispatch.objects.values_list("actor", "service")) == {("ada", "W9")}
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.reason) == ("dispatch_cp_service", "its host is gone")
        assert entry.details["dispatched"] == {"deferred": 2}
        assert sorted(entry.details["messages"]) == sorted([guid_of("A"), guid_of("C")])
        assert dispatch_all_for_service(**asked | {"reason": "gone"}) == {"failed": 1}

    def test_is_audited_with_all_its_counts_and_fifty_messages(self, settings):
        settings.CP_MAX_ATTEMPTS = 2
        guids = [store(f"many {number}", osid=number, lock="W9") for number in range(53)]
        asked = {"service": "W9", "reason": "RETRY", "actor": ADA, "why": "its host is gone"}
        for guid in guids[:3]:
            dispatch_message(guid=guid, service="W9", reason="RETRY")
            CpMessage.objects.filter(pk=guid).update(lock_service="W9")
        assert dispatch_all_for_service(**asked) == {"deferred": 50, "parked": 3}
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.actor, entry.reason, entry.subject) == (
            "dispatch_cp_service",
            "ada",
            "its host is gone",
            "",
        )
        named = entry.details.pop("messages")
        assert entry.details == {
            "service": "W9",
            "reason": "RETRY",
            "dispatched": {"deferred": 50, "parked": 3},
        }
        assert (len(set(named)), set(named) <= set(guids)) == (50, True)

    def test_does_not_change_messages_of_other_queues(self):
        store("A", "RENDITION", lock="W9")
        store("B", "PAGECOUNT", lock="W9")
        asked = {"service": "W9", "reason": "OK", "actor": ADA}
        assert dispatch_all_for_service(**asked, within=["PAGECOUNT"]) == {"done": 1}
        assert remaining_messages() == {guid_of("A"): "W9"}

    @pytest.mark.parametrize("wrong", [{"service": ""}, {"service": "a\0"}, {"reason": ""}])
    def test_refuses_an_invalid_name_or_missing_reason(self, wrong):
        store("A", lock="W9")
        with pytest.raises(InvalidParameter):
            dispatch_all_for_service(**{"service": "W9", "reason": "OK", "actor": ADA} | wrong)
        assert remaining_messages() == {guid_of("A"): "W9"}
