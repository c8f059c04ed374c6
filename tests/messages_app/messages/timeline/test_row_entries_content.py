"""Entries of each kind as a whole, from rows with ids and times that all differ."""

from datetime import timedelta

from messages_app.audit.models import AuditEntry
from messages_app.messages.actions.causes import Cause
from messages_app.messages.models import ExternalCall, Message, MessageEvent, Request, Response
from messages_app.messages.timeline import row_entries
from messages_app.messages.timeline.entries import Entry, Kind
from messages_app.messages.traffic.exchanges import Exchange
from tests.support.factories import NOON


def at(seconds: float):
    return NOON + timedelta(seconds=seconds)


class TestOwnEntries:
    def test_are_of_the_receipt_and_of_the_queue(self):
        message = Message(msg_id=11, receive_timestamp=at(1), start_in_queue_timestamp=at(2))
        assert list(row_entries.own_entries(message)) == [
            Entry(at=at(1), kind=Kind.RECEIVED, text="Received by the hub"),
            Entry(at=at(2), kind=Kind.QUEUED, text="Last queued"),
        ]
        message.start_in_queue_timestamp = None
        assert [entry.kind for entry in row_entries.own_entries(message)] == [Kind.RECEIVED]


class TestEventEntries:
    def test_have_the_values_of_the_change_and_of_its_cause(self):
        event = MessageEvent(
            event_id=21, msg_id=22, at=at(3), from_state="FAILED", to_state="PARTLY_FAILED", actor="ada"
        )
        cause = Cause(
            action="restart",
            actor="ada",
            reason="it is back",
            state="PARTLY_FAILED",
            job_id=23,
            entry_id=24,
            total=True,
            since=at(2),
            until=at(4),
        )
        assert list(row_entries.event_entries([event], [cause])) == [
            Entry(
                at=at(3),
                kind=Kind.STATE_CHANGE,
                text="FAILED → PARTLY_FAILED",
                state="PARTLY_FAILED",
                actor="ada",
                id=23,
                note="Restart from scratch: it is back",
                entry_id=24,
            )
        ]
        assert list(row_entries.event_entries([event])) == [
            Entry(
                at=at(3),
                kind=Kind.STATE_CHANGE,
                text="FAILED → PARTLY_FAILED",
                state="PARTLY_FAILED",
                actor="ada",
            )
        ]

    def test_tell_changes_that_were_not_recorded_from_those_of_the_hub(self):
        changes = {"msg_id": 22, "at": at(3), "from_state": "NEW", "to_state": "OK"}
        events = [MessageEvent(actor=actor, **changes) for actor in (MessageEvent.UNKNOWN, None)]
        assert [(entry.actor, entry.note) for entry in row_entries.event_entries(events)] == [
            (
                MessageEvent.UNKNOWN,
                "The states in between were not recorded. The time is that of the last known change.",
            ),
            ("", ""),
        ]


class TestCallEntries:
    def test_have_the_values_of_the_call(self):
        call = ExternalCall(
            call_id=31,
            msg_id=32,
            operation_name="direct:call",
            state="FAILED",
            entity_id="entity-33",
            creation_timestamp=at(4),
            last_update_timestamp=at(5),
            failed_count=34,
        )
        open_call = ExternalCall(
            call_id=35,
            msg_id=32,
            operation_name="direct:open",
            state="PROCESSING",
            entity_id="entity-36",
            creation_timestamp=at(6),
            last_update_timestamp=at(7),
            failed_count=0,
        )
        assert list(row_entries.call_entries([call, open_call])) == [
            Entry(
                at=at(4),
                until=at(5),
                kind=Kind.EXTERNAL_CALL,
                text="direct:call",
                state="FAILED",
                id=31,
                note="failed 34 times",
            ),
            Entry(
                at=at(6),
                kind=Kind.EXTERNAL_CALL,
                text="direct:open",
                state="PROCESSING",
                id=35,
                is_open=True,
            ),
        ]


class TestExchangeEntries:
    def test_have_the_values_of_the_request_and_of_each_response(self):
        request = Request(req_id=41, msg_id=42, uri="http://a.example/ws", req_timestamp=at(8))
        responses = [
            Response(res_id=43, req_id=41, msg_id=42, res_timestamp=at(10), failed=False),
            Response(
                res_id=44, req_id=41, msg_id=42, res_timestamp=at(12), failed=True, failed_reason="late\nat a"
            ),
            Response(res_id=45, req_id=41, msg_id=42, res_timestamp=None, failed=False),
        ]
        assert list(row_entries.exchange_entries([Exchange(request, responses)])) == [
            Entry(
                at=at(8),
                until=at(10),
                kind=Kind.REQUEST,
                text="http://a.example/ws",
                state="failed",
                id=41,
                note="failed after 2 s: late",
            ),
            Entry(at=at(10), kind=Kind.RESPONSE, text="Response", id=43, placed=at(10), belongs_to=41),
            Entry(
                at=at(12),
                kind=Kind.RESPONSE,
                text="Failed response",
                state="failed",
                id=44,
                note="late",
                placed=at(12),
                belongs_to=41,
            ),
            Entry(at=None, kind=Kind.RESPONSE, text="Response", id=45, placed=at(8), belongs_to=41),
        ]

    def test_have_the_values_of_a_response_without_a_request(self):
        response = Response(res_id=51, req_id=52, msg_id=53, res_timestamp=at(13), failed=False)
        assert list(row_entries.exchange_entries([Exchange(None, [response])])) == [
            Entry(at=at(13), kind=Kind.RESPONSE, text="Response", id=51, placed=at(13))
        ]


class TestActionEntries:
    def test_have_the_values_of_the_audit_entry(self):
        columns = {"msg_id": 62, "actor": "ada", "reason": "why"}
        done = AuditEntry(
            entry_id=61, at=at(14), action="job.restart", job_id=63, outcome="done", details={}, **columns
        )
        refused = AuditEntry(
            entry_id=64,
            at=at(15),
            action="restart",
            job_id=None,
            outcome="refused",
            details={"total": True, "refusal": "too late"},
            **columns,
        )
        assert list(row_entries.action_entries([done, refused])) == [
            Entry(
                at=at(14),
                kind=Kind.OPERATOR_ACTION,
                text="Job restart",
                state="done",
                actor="ada",
                id=63,
                note="why",
                entry_id=61,
            ),
            Entry(
                at=at(15),
                kind=Kind.OPERATOR_ACTION,
                text="Restart from scratch",
                state="refused",
                actor="ada",
                note="why too late",
                entry_id=64,
            ),
        ]
