"""Each action of an operator on the queue leaves one whole audit entry; a refused one leaves none."""

from datetime import UTC, datetime
from importlib import import_module

import pytest

from messages_app.cp_queue import services
from messages_app.cp_queue.models import CpDispatch, CpMessage, CpPause, CpReservation
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.queues import guid_of, make_due, remaining_messages, store

pytestmark = pytest.mark.django_db

OLD = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _other_messages() -> None:
    """Store messages that no action of these tests is about."""
    store("other", "PAGECOUNT", 8, ostype=77), store("held by another", "PAGECOUNT", 9, lock="W8")


def of_message(action: str, guid: str, before: str, after: str, **columns: object) -> dict[str, object]:
    states = {"before_state": before, "after_state": after}
    return by_grace(action, subject_kind="cp_message", subject=guid, **states, **columns)


class TestCreate:
    def test_audits_how_many_it_created(self):
        queues = ["RENDITION", "NEW"]
        made = services.create(object_id=5, object_type=65_537, queues=queues, actor=GRACE, reason="lost")
        assert made == 2
        details = {"osid": 5, "ostype": 65_537, "queues": queues, "created": 2}
        assert audit_rows() == [by_grace("create_cp_messages", reason="lost", details=details)]
        rows = CpMessage.objects.filter(osid=5).values_list("queuename", "ostype", "lock_service")
        assert sorted(rows) == [("NEW", 65_537, None), ("RENDITION", 65_537, None)]
        assert CpMessage.objects.filter(osid=5).values("created").distinct().count() == 1

    def test_audits_no_program(self):
        assert services.create(object_id=5, object_type=65_537, queues=["NEW"]) == 1
        assert services.create(object_id=5, object_type=65_537, queues=[], actor=GRACE) == 0
        assert audit_rows() == []

    def test_counts_before_what_it_would_create(self):
        asked = {"object_id": 5, "object_type": 65_537, "queues": ["RENDITION", "NEW"]}
        assert services.would_create(**asked) == 2
        assert not CpMessage.objects.filter(osid=5).exists()


class TestDelete:
    def test_audits_the_message_that_is_gone(self):
        guid = store("A", "RENDITION", 5, ostype=65_537)
        CpMessage.objects.filter(pk=guid).update(created=OLD)
        assert services.delete(guid=guid.lower(), actor=GRACE, reason="its object is gone") == guid
        details = {
            "queue": "RENDITION",
            "osid": "5",
            "ostype": "65537",
            "created": "2026-05-01 00:00:00+00:00",
        }
        assert audit_rows() == [
            of_message(
                "delete_cp_message", guid, "free", "deleted", reason="its object is gone", details=details
            )
        ]

    def test_audits_nothing_if_it_is_refused(self):
        with pytest.raises(services.MessageConflict) as refused:
            services.delete(guid=guid_of("held by another"), actor=GRACE, reason="r")
        assert (refused.value.code, refused.value.current_state) == ("reserved", "reserved")
        with pytest.raises(services.MessageNotFound):
            services.would_delete(guid=guid_of("Z"))
        with pytest.raises(services.MessageConflict):
            services.would_delete(guid=guid_of("held by another"))
        assert services.would_delete(guid=guid_of("other").lower()) == guid_of("other")
        assert audit_rows() == []
        assert len(remaining_messages()) == 2


class TestSendOn:
    @pytest.mark.parametrize(("most", "before"), [(5, "deferred"), (1, "parked")])
    def test_audits_the_state_before(self, settings, most, before):
        settings.CP_MAX_ATTEMPTS = most
        guid = store("A", "RENDITION", 5, ostype=65_537, lock="W1")
        CpMessage.objects.filter(pk=guid).update(created=OLD)
        services.dispatch(guid=guid, service="W1", reason="RETRY")
        assert services.send_on(guid=guid.lower(), actor=GRACE, reason="it is back") == guid
        assert audit_rows() == [of_message("send_on_cp_message", guid, before, "free", reason="it is back")]
        columns = ("queuename", "osid", "ostype", "created", "lock_service", "checkguid")
        row = CpMessage.objects.values_list(*columns).get(pk=guid)
        assert row == ("RENDITION", 5, 65_537, OLD, None, None)

    @pytest.mark.parametrize(("name", "state"), [("other", "free"), ("held by another", "reserved")])
    def test_audits_nothing_if_it_does_not_wait(self, name, state):
        with pytest.raises(services.MessageConflict) as refused:
            services.send_on(guid=guid_of(name), actor=GRACE, reason="r")
        assert (refused.value.code, refused.value.current_state) == ("not_waiting", state)
        assert audit_rows() == []


class TestPauseQueue:
    def test_and_resume_audit_the_state_of_the_queue(self):
        services.pause_queue(queue="NEW", actor=GRACE, reason="broken")
        pause = CpPause.objects.get()
        assert (pause.queuename, pause.actor, pause.reason) == ("NEW", "grace", "broken")
        services.pause_queue(queue="NEW", actor=GRACE, reason="again")
        services.resume_queue(queue="NEW", actor=GRACE, reason="repaired")
        services.resume_queue(queue="NEW", actor=GRACE, reason="again")
        paused = {"before_state": "active", "after_state": "paused", "reason": "broken"}
        resumed = {"before_state": "paused", "after_state": "active", "reason": "repaired"}
        assert audit_rows() == [
            by_grace("pause_cp_queue", **paused, details={"queue": "NEW"}),
            by_grace("resume_cp_queue", **resumed, details={"queue": "NEW"}),
        ]


class TestDispatchForService:
    @pytest.mark.parametrize(("reason", "after"), [("OK", "done"), ("RETRY", "deferred"), ("bad", "failed")])
    def test_audits_the_outcome_and_logs_the_operator(self, reason, after):
        guid = store("A", "RENDITION", 5, lock="W1")
        dispatched = services.dispatch_for_service(
            guid=guid.lower(), service="W1", reason=reason, actor=GRACE, why="its host is gone"
        )
        assert (dispatched.guid, dispatched.outcome) == (guid, after)
        details = {"service": "W1", "reason": reason}
        assert audit_rows() == [
            of_message(
                "dispatch_cp_message", guid, "reserved", after, reason="its host is gone", details=details
            )
        ]
        line = CpDispatch.objects.get()
        assert (line.messageguid, line.service, line.reason, line.outcome, line.actor) == (
            guid,
            "W1",
            reason,
            after,
            "grace",
        )

    def test_audits_the_beginning_of_a_long_reason(self):
        guid = store("A", lock="W1")
        services.dispatch_for_service(guid=guid, service="W1", reason="x" * 300, actor=GRACE)
        (row,) = audit_rows()
        assert row["details"] == {"service": "W1", "reason": "x" * 200}
        assert CpDispatch.objects.get().reason == "x" * 300


class TestDispatchAllForService:
    def test_audits_the_messages_by_outcome(self, settings):
        settings.CP_MAX_ATTEMPTS = 2
        guids = sorted(store(f"A{number}", osid=number, lock="W1") for number in range(3))
        services.dispatch(guid=guids[1], service="W1", reason="RETRY")
        make_due(guids[1])
        assert services.get_next(queues="RENDITION", service="W1").guid == guids[1]
        asked = {"service": "W1", "reason": "RETRY", "actor": GRACE, "why": "its host is gone"}
        assert services.dispatch_all_for_service(**asked) == {"deferred": 2, "parked": 1}
        details = {"service": "W1", "reason": "RETRY", "messages": guids}
        details["dispatched"] = {"deferred": 2, "parked": 1}
        assert audit_rows() == [by_grace("dispatch_cp_service", reason="its host is gone", details=details)]
        assert services.dispatch_all_for_service(**asked) == {}

    def test_names_at_most_fifty_messages(self):
        guids = sorted(store(f"A{number}", osid=number, lock="W1") for number in range(51))
        services.dispatch_all_for_service(service="W1", reason="x" * 300, actor=GRACE)
        (row,) = audit_rows()
        assert row["details"] == {
            "service": "W1",
            "reason": "x" * 200,
            "messages": guids[:50],
            "dispatched": {"failed": 51},
        }

    def test_includes_what_was_reserved_at_the_given_time(self):
        store("A")
        services.get_next(queues="RENDITION", service="W1")
        CpReservation.objects.update(reserved_at=OLD)
        asked = {"service": "W1", "reason": "OK", "actor": GRACE}
        assert services.dispatch_all_for_service(before=OLD, **asked) == {"done": 1}


class TestReset:
    def test_audits_one_message_and_the_holder_that_was_named(self):
        guids = [store(name, "RENDITION", 5, lock="W1") for name in "AB"]
        services.reset(guid=guids[0].lower(), actor=GRACE, reason="stuck")
        services.reset(guid=guids[1], service="W1", actor=GRACE, reason="dead")
        assert audit_rows() == [
            of_message("reset_cp_message", guids[0], "reserved", "free", reason="stuck"),
            of_message(
                "reset_cp_message", guids[1], "reserved", "free", reason="dead", details={"service": "W1"}
            ),
        ]

    def test_of_a_service_audits_what_it_freed(self, monkeypatch):
        guids = sorted(store(name, "RENDITION", 5, lock="W1") for name in "ABC")
        # The package has a function of this name.
        monkeypatch.setattr(import_module("messages_app.cp_queue.services.reset"), "_NAMED", 2)
        assert services.reset_service(service="W1", actor=GRACE, reason="restarted") == 3
        details = {"service": "W1", "released": 3}
        (row,) = audit_rows()
        assert len(row["details"].pop("messages")) == 2
        assert row == by_grace("reset_cp_service", reason="restarted", details=details)
        assert [remaining_messages()[guid] for guid in guids] == [None] * 3

    def test_of_a_selection_audits_its_conditions(self):
        guid = store("A", "RENDITION", 5, ostype=65_537, lock="W1")
        CpMessage.objects.filter(pk=guid).update(created=OLD)
        limit = datetime(2026, 5, 2, tzinfo=UTC)
        conditions = {"queue": "RENDITION", "service": "W1", "object_id": 5, "object_type": 65_537}
        selection = services.Selection(**conditions, created_before=limit)
        assert services.reset_selective(selection=selection, actor=GRACE, reason="all of it") == 1
        details = {name: str(value) for name, value in conditions.items()}
        details |= {"created_before": str(limit), "released": 1, "messages": [guid]}
        assert audit_rows() == [by_grace("reset_cp_selection", reason="all of it", details=details)]
        assert services.reset_selective(selection=services.Selection(object_id=0), actor=GRACE) == 0
        assert audit_rows()[1]["details"] == {"object_id": "0", "released": 0, "messages": []}

    def test_keeps_a_message_created_at_the_given_time(self):
        guid = store("A", "RENDITION", 5, lock="W1")
        CpMessage.objects.filter(pk=guid).update(created=OLD)
        selection = services.Selection(created_before=OLD)
        assert services.reset_selective(selection=selection, actor=GRACE) == 0
        assert remaining_messages()[guid] == "W1"
