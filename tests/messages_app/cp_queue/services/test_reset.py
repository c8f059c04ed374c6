from datetime import timedelta

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue import selectors
from messages_app.cp_queue.errors import MessageNotFound
from messages_app.cp_queue.models import CpMessage, CpReservation
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.services.pickup import get_next
from messages_app.cp_queue.services.reset import Selection, reset_message, reset_selective, reset_service
from messages_app.cp_queue.states import Released
from tests.support.queues import ADA, guid_of, remaining_messages, store

pytestmark = pytest.mark.django_db


@pytest.fixture
def held() -> None:
    store("A", "RENDITION", 1, age="3 hours", lock="W1")
    store("B", "RENDITION", 2, age="2 hours", lock="W2", ostype=131_072)
    store("C", "PAGECOUNT", 1, age="1 hour", lock="W1")
    store("D", "RENDITION", 4)


def released(**conditions: object) -> set[str]:
    selection = Selection(**conditions)
    counted = selectors.count_selected(selection)
    before = {guid for guid, service in remaining_messages().items() if service}
    assert reset_selective(selection=selection, actor=ADA, reason="restart") == counted
    return {
        name for name in "ABCD" if guid_of(name) in before and remaining_messages()[guid_of(name)] is None
    }


class TestResetService:
    def test_frees_the_messages_of_the_service(self, held):
        assert reset_service(service="W1", actor=ADA) == 2
        assert {service for service in remaining_messages().values() if service} == {"W2"}
        entry = AuditEntry.objects.get(action="reset_cp_service")
        assert (entry.details["service"], entry.details["released"]) == ("W1", 2)

    def test_frees_nothing_for_a_service_without_messages(self, held):
        assert reset_service(service="W3", actor=ADA) == 0

    def test_does_not_change_messages_of_other_queues(self, held):
        assert reset_service(service="W1", actor=ADA, within=["RENDITION", "NEW"]) == 1
        assert (remaining_messages()[guid_of("A")], remaining_messages()[guid_of("C")]) == (None, "W1")
        assert reset_service(service="W1", actor=ADA, within=[]) == 0

    def test_ends_its_reservations(self):
        store("A")
        get_next(queues="RENDITION", service="W1")
        reset_service(service="W1", actor=ADA)
        assert not CpReservation.objects.exists()
        assert CpMessage.objects.get().checkguid is None


class TestResetSelective:
    @pytest.mark.parametrize(
        ("conditions", "names"),
        [
            ({"queue": "RENDITION"}, "AB"),
            ({"service": "W1"}, "AC"),
            ({"service": "W1", "queue": "PAGECOUNT"}, "C"),
            ({"object_id": 1}, "AC"),
            ({"object_type": 131_072}, "B"),
            ({"object_id": 9}, ""),
        ],
    )
    def test_frees_messages_that_meet_all_conditions(self, held, conditions, names):
        assert released(**conditions) == set(names)

    def test_frees_messages_created_before_a_time(self, held):
        assert released(created_before=CpMessage.objects.get(pk=guid_of("B")).created) == {"A"}

    def test_needs_a_condition(self, held):
        with pytest.raises(InvalidParameter):
            reset_selective(selection=Selection(), actor=ADA)
        assert sorted(filter(None, remaining_messages().values())) == ["W1", "W1", "W2"]


class TestAuditEntry:
    @pytest.fixture
    def many(self) -> list[str]:
        """Store 53 messages of one service, one of another, and a free one; return those of the first."""
        store("D", lock="W2")
        store("free")
        return [store(f"many {number}", osid=number, lock="W1") for number in range(53)]

    def entry(self) -> tuple[object, ...]:
        (row,) = AuditEntry.objects.values_list("action", "actor", "reason", "subject", "outcome", "details")
        return row

    def test_of_a_service_counts_all_messages_and_names_fifty(self, many):
        assert reset_service(service="W1", actor=ADA, reason="its host is gone") == 53
        *columns, details = self.entry()
        assert columns == ["reset_cp_service", "ada", "its host is gone", "", "done"]
        named = details.pop("messages")
        assert details == {"service": "W1", "released": 53}
        assert (len(set(named)), set(named) <= set(many)) == (50, True)

    def test_of_a_selection_has_its_conditions_and_what_was_freed(self, many):
        before = CpMessage.objects.get(pk=guid_of("D")).created + timedelta(hours=1)
        selection = Selection(
            queue="RENDITION", service="W1", object_id=7, object_type=65_536, created_before=before
        )
        assert reset_selective(selection=selection, actor=ADA, reason="restart") == 1
        assert self.entry() == (
            "reset_cp_selection",
            "ada",
            "restart",
            "",
            "done",
            {
                "queue": "RENDITION",
                "service": "W1",
                "object_id": "7",
                "object_type": "65536",
                "created_before": str(before),
                "released": 1,
                "messages": [guid_of("many 7")],
            },
        )

    def test_of_one_message_has_its_holder_if_it_was_named(self, many):
        reset_message(guid=guid_of("D"), actor=ADA, service="W2", reason="stuck")
        assert self.entry() == (
            "reset_cp_message",
            "ada",
            "stuck",
            guid_of("D"),
            "done",
            {"service": "W2"},
        )


class TestReset:
    def test_frees_one_message(self, held):
        assert reset_message(guid=guid_of("A").lower(), actor=ADA, reason="stuck") is Released.RELEASED
        assert remaining_messages()[guid_of("A")] is None
        entry = AuditEntry.objects.get(subject=guid_of("A"))
        assert (entry.before_state, entry.after_state, entry.reason) == ("reserved", "free", "stuck")

    def test_reports_that_no_one_holds_it(self, held):
        assert reset_message(guid=guid_of("D"), actor=ADA) is Released.NOT_RESERVED
        assert not AuditEntry.objects.exists()

    def test_does_not_change_a_message_that_another_service_holds_now(self, held):
        assert reset_message(guid=guid_of("A"), service="W2", actor=ADA) is Released.NOT_RESERVED
        assert remaining_messages()[guid_of("A")] == "W1"

    def test_rejects_any_other_message(self):
        with pytest.raises(MessageNotFound):
            reset_message(guid=guid_of("Z"), actor=ADA)
