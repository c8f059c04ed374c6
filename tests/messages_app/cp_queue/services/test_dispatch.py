from datetime import UTC, datetime, timedelta

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.cp_queue.errors import MessageConflict
from messages_app.cp_queue.models import CpDeferred, CpDispatch, CpMessage, CpReservation, CpRetry
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.services.dispatch import Result, dispatch_many, dispatch_message, retry_delays
from messages_app.cp_queue.services.operators import dispatch_for_service
from messages_app.cp_queue.services.pickup import get_next
from messages_app.cp_queue.services.reset import reset_service
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.queues import ADA, guid_of, make_due, remaining_messages, store

pytestmark = pytest.mark.django_db


class TestDispatch:
    def test_leaves_nothing_except_the_log(self):
        guid = store("A")
        store("B", age="1 minute")
        get_next(queues="RENDITION", service="W1")
        dispatch_message(guid=guid, service="W1", reason="OK")
        assert not CpMessage.objects.exists()
        assert not CpReservation.objects.exists()
        line = CpDispatch.objects.get()
        assert (line.outcome, line.collapsed, line.actor) == ("done", 1, "")

    def test_accepts_what_was_reserved_outside_the_console(self):
        guid = store("A", lock="W9")
        dispatch_message(guid=guid, service="W9", reason="OK")
        assert CpDispatch.objects.get().reserved_at is None

    def test_does_not_take_another_reservations_time_for_its_own(self):
        """A vendor's server freed and reserved it again, without us."""
        guid = store("A")
        get_next(queues="RENDITION", service="W1")
        CpMessage.objects.update(checkguid=guid_of("other"))
        dispatch_message(guid=guid, service="W1", reason="OK")
        assert CpDispatch.objects.get().reserved_at is None

    def test_counts_attempts_until_the_message_ends(self, settings):
        settings.CP_MAX_ATTEMPTS = 5
        guid = store("A")
        for attempts in (1, 2):
            get_next(queues="RENDITION", service="W1")
            assert dispatch_message(guid=guid, service="W1", reason="RETRY").attempts == attempts
            make_due(guid)
        get_next(queues="RENDITION", service="W1")
        reset_service(service="W1", actor=ADA)
        get_next(queues="RENDITION", service="W1")
        dispatch_message(guid=guid, service="W1", reason="OK")
        assert list(CpDispatch.objects.order_by("pk").values_list("attempts", flat=True)) == [1, 2, 2]
        assert not CpRetry.objects.exists()

    def test_waits_longer_after_each_attempt(self, settings):
        settings.CP_RETRY_SECONDS, settings.CP_MAX_ATTEMPTS = 10.0, 4
        assert retry_delays() == [10, 20, 40]

    @pytest.mark.parametrize("reason", ["", "   ", "x" * 1001, "a\0b"])
    def test_refuses_an_invalid_reason(self, reason):
        guid = store("A", lock="W1")
        with pytest.raises(InvalidParameter) as refused:
            dispatch_message(guid=guid, service="W1", reason=reason)
        assert refused.value.field == "Reason"
        assert remaining_messages() == {guid: "W1"}


class TestLog:
    COLUMNS = ("queuename", "osid", "ostype", "created", "service", "reason", "outcome", "reserved_at")
    COLUMNS += ("collapsed", "attempts", "actor")

    @pytest.fixture
    def guid(self) -> str:
        """Reserve a message that was dispatched with RETRY twice and has collapsed four others."""
        guid = store("A", "PAGECOUNT", 71, ostype=82, age="1 minute")
        for number in range(4):
            store(f"older {number}", "PAGECOUNT", 71, ostype=93, age="1 hour")
        get_next(queues="PAGECOUNT", service="W1", wants_token=True)
        CpReservation.objects.update(reserved_at="2026-11-02T12:00:00Z")
        CpMessage.objects.update(created="2026-11-02T11:00:00Z", checkguid=guid_of("token"))
        CpReservation.objects.update(checkguid=guid_of("token"))
        CpRetry.objects.create(messageguid=guid, attempts=2)
        CpRetry.objects.create(messageguid=store("B"), attempts=5)
        return guid

    @pytest.mark.parametrize("way", ["one", "many", "for the service"])
    @pytest.mark.parametrize(
        ("reason", "outcome", "attempts"),
        [("OK", "done", 2), ("no file", "failed", 2), ("RETRY", "deferred", 3)],
    )
    def test_has_all_columns_of_the_message_its_reservation_and_result(
        self, guid, way, reason, outcome, attempts
    ):
        token, actor = guid_of("token"), ""
        if way == "one":
            ended = dispatch_message(guid=guid, service="W1", reason=reason, token=token)
        elif way == "many":
            result = Result(guid=guid, reason=reason, token=token)
            (ended,) = dispatch_many(service="W1", results=[result])
        else:
            actor = "ada"
            ended = dispatch_for_service(guid=guid, service="W1", reason=reason, actor=ADA)
        assert (ended.guid, ended.outcome, ended.attempts) == (guid, outcome, attempts)
        (row,) = CpDispatch.objects.filter(messageguid=guid).values_list(*self.COLUMNS)
        created, reserved = datetime(2026, 11, 2, 11, tzinfo=UTC), datetime(2026, 11, 2, 12, tzinfo=UTC)
        assert row == (
            "PAGECOUNT",
            71,
            82,
            created,
            "W1",
            reason,
            outcome,
            reserved,
            4,
            attempts,
            actor,
        )
        columns = ("messageguid", "queuename", "osid", "ostype", "created", "not_before")
        deferred = list(CpDeferred.objects.values_list(*columns))
        is_retried = reason == "RETRY"
        assert deferred == [(guid, *row[:4], ended.not_before)] * is_retried
        assert not is_retried or ended.not_before > database_clock() + timedelta(
            seconds=retry_delays()[2] - 60
        )
        counted = dict(CpRetry.objects.values_list("messageguid", "attempts"))
        assert counted == {guid_of("B"): 5} | ({guid: 3} if is_retried else {})
        assert not CpReservation.objects.exists()


class TestDispatchForService:
    def test_needs_no_token_and_is_audited(self):
        guid = store("A")
        get_next(queues="RENDITION", service="W1", wants_token=True)
        reason = "no file" * 100
        dispatch_for_service(guid=guid, service="W1", reason=reason, actor=GRACE, why="it was done")
        assert not remaining_messages()
        assert CpDispatch.objects.get().actor == "grace"
        assert audit_rows() == [
            by_grace(
                "dispatch_cp_message",
                subject_kind="cp_message",
                subject=guid,
                before_state="reserved",
                after_state="failed",
                reason="it was done",
                details={"service": "W1", "reason": reason[:200]},
            )
        ]

    def test_does_not_change_what_another_service_holds_now(self):
        guid = store("A", lock="W2")
        with pytest.raises(MessageConflict) as refused:
            dispatch_for_service(guid=guid, service="W1", reason="OK", actor=ADA)
        assert refused.value.code == "not_owner"
        assert not AuditEntry.objects.exists()
