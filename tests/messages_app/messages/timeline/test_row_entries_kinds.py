"""Whole entries of a timeline, from rows whose values all differ."""

import pytest

from messages_app.messages.models import ExternalCall, MessageEvent
from messages_app.messages.timeline import row_entries
from messages_app.messages.timeline.entries import Entry, Kind
from messages_app.messages.timeline.spans import Span
from tests.messages_app.messages.timeline.test_row_entries import (
    action,
    at,
    entries_of_exchange,
    message,
    request,
    response,
)
from tests.support.factories import NOON


class TestOwnEntries:
    def test_have_the_times_of_their_columns(self):
        queued = message(start_in_queue_timestamp=at(3), start_process_timestamp=at(4))
        assert list(row_entries.own_entries(queued)) == [
            Entry(at=NOON, kind=Kind.RECEIVED, text="Received by the hub"),
            Entry(at=at(3), kind=Kind.QUEUED, text="Last queued"),
        ]


class TestSpansWithoutHistory:
    @pytest.mark.parametrize(
        ("state", "start", "end", "spans"),
        [
            ("PROCESSING", 1, 2, [Span(state="PROCESSING", since=at(1))]),
            ("PROCESSING", None, 2, [Span(state="PROCESSING", since=NOON)]),
            ("OK", 1, 1, [Span(state="PROCESSING", since=at(1), until=at(1), became="OK")]),
            ("OK", 2, 1, []),
            ("OK", None, 1, []),
            ("OK", 1, None, []),
            (
                "WAITING",
                1,
                2,
                [
                    Span(state="PROCESSING", since=at(1), until=at(2), became="WAITING"),
                    Span(state="WAITING", since=at(2)),
                ],
            ),
            ("NEW", 1, None, [Span(state="NEW", since=at(1))]),
            ("NEW", None, None, [Span(state="NEW", since=NOON)]),
            ("POSTPONED", 3, 2, [Span(state="POSTPONED", since=at(2))]),
        ],
    )
    def test_follow_from_the_last_times(self, state, start, end, spans):
        times = {
            "start_process_timestamp": None if start is None else at(start),
            "last_process_timestamp": None if end is None else at(end),
        }
        assert row_entries.spans_without_history(message(state=state, **times)) == spans

    def test_become_entries_with_a_note_at_attempts_only(self):
        spans = [
            Span(state="PROCESSING", since=at(1), until=at(2), became="NEW"),
            Span(state="NEW", since=at(2)),
        ]
        attempt, wait = row_entries.entries_without_history(spans, at=at(9))
        assert attempt == Entry(
            at=at(1),
            until=at(2),
            kind=Kind.ATTEMPT,
            text="Attempt",
            state="NEW",
            note="Earlier attempts were not recorded.",
        )
        assert wait == Entry(
            at=at(2), kind=Kind.WAIT, text="In NEW for 7 s so far", state="NEW", is_open=True
        )


class TestFindStart:
    @pytest.mark.parametrize(
        ("started", "first", "again", "expected"),
        [
            (3, 9, False, 3),
            (3, 3, False, 3),
            (3, 2, False, 0),
            (3, None, False, 3),
            (None, 9, False, 0),
            (3, 9, True, 0),
        ],
    )
    def test_is_that_of_the_child_unless_it_changed_before(self, started, first, again, expected):
        child = message(parent_msg_id=5, start_process_timestamp=None if started is None else at(started))
        event = None if first is None else MessageEvent(at=at(first))
        assert row_entries.find_start(child, event, started_again=again) == at(expected)


class TestEventEntries:
    def test_show_changes_without_a_cause(self):
        changes = [
            MessageEvent(at=at(1), from_state="NEW", to_state="PROCESSING"),
            MessageEvent(at=at(2), from_state="PROCESSING", to_state="FAILED", actor="ada"),
            MessageEvent(at=at(3), from_state="FAILED", to_state="OK", actor=MessageEvent.UNKNOWN),
        ]
        assert list(row_entries.event_entries(changes)) == [
            Entry(at=at(1), kind=Kind.STATE_CHANGE, text="NEW → PROCESSING", state="PROCESSING"),
            Entry(at=at(2), kind=Kind.STATE_CHANGE, text="PROCESSING → FAILED", state="FAILED", actor="ada"),
            Entry(
                at=at(3),
                kind=Kind.STATE_CHANGE,
                text="FAILED → OK",
                state="OK",
                actor=MessageEvent.UNKNOWN,
                note="The states in between were not recorded. The time is that of the last known change.",
            ),
        ]


class TestCallEntries:
    @pytest.mark.parametrize(
        ("state", "failed", "until", "note"),
        [("OK", 0, 5, ""), ("FAILED", 1, 5, "failed 1 time"), ("PROCESSING", 2, None, "failed 2 times")],
    )
    def test_have_each_value(self, state, failed, until, note):
        call = ExternalCall(
            call_id=31,
            msg_id=32,
            operation_name="direct:erp",
            state=state,
            creation_timestamp=at(4),
            last_update_timestamp=at(5),
            failed_count=failed,
        )
        assert list(row_entries.call_entries([call])) == [
            Entry(
                at=at(4),
                until=until and at(until),
                kind=Kind.EXTERNAL_CALL,
                text="direct:erp",
                state=state,
                id=31,
                note=note,
                is_open=until is None,
            )
        ]


class TestExchangeEntries:
    def sent(self, **columns: object) -> Entry:
        return Entry(**{"at": NOON, "kind": Kind.REQUEST, "text": "http://a.example/", "id": 7} | columns)

    def answer(self, **columns: object) -> Entry:
        return Entry(**{"kind": Kind.RESPONSE, "text": "Response", "id": 8, "belongs_to": 7} | columns)

    def test_show_an_answer(self):
        assert entries_of_exchange(response(3), sent=request()) == [
            self.sent(until=at(3), note="answered after 3 s"),
            self.answer(at=at(3), placed=at(3)),
        ]
        assert entries_of_exchange(response(0), sent=request())[0].until == NOON

    def test_show_a_failure_without_a_reason(self):
        assert entries_of_exchange(response(3, failed=True), sent=request()) == [
            self.sent(until=at(3), note="failed after 3 s", state="failed"),
            self.answer(at=at(3), placed=at(3), text="Failed response", state="failed"),
        ]

    def test_show_answers_without_a_time_or_a_request(self):
        assert entries_of_exchange(response(None, failed_reason=" a\nb"), sent=request()) == [
            self.sent(note="answered"),
            self.answer(at=None, placed=NOON, note="a"),
        ]
        assert entries_of_exchange(response(2)) == [self.answer(at=at(2), placed=at(2), belongs_to=None)]


class TestActionEntries:
    def test_have_each_value(self):
        entries = [
            action(
                entry_id=41, action="bulk.restart_all", outcome="done", job_id=42, details={"total": True}
            ),
            action(entry_id=43, action="cancel", outcome="refused", details={"refusal": "too late"}),
            action(entry_id=44, action="cancel", outcome="done", details={"refusal": "not shown"}),
        ]
        common = {"at": NOON, "kind": Kind.OPERATOR_ACTION, "actor": "ada"}
        assert list(row_entries.action_entries(entries)) == [
            Entry(
                **common, text="Bulk restart all from scratch", state="done", id=42, note="why", entry_id=41
            ),
            Entry(**common, text="Cancel", state="refused", note="why too late", entry_id=43),
            Entry(**common, text="Cancel", state="done", note="why", entry_id=44),
        ]


def test_the_kinds_are_in_order_at_the_same_time():
    entries = [Entry(at=NOON, kind=kind, text="") for kind in reversed(Kind)]
    assert [entry.kind for entry in row_entries.sort_entries(entries)] == list(Kind)


@pytest.mark.parametrize(("length", "end"), [(199, "x"), (200, "x"), (201, "…")])
def test_a_first_line_has_up_to_200_characters(length, end):
    line = row_entries.first_line("x" * length + "\nmore")
    assert (line[-1], line.rstrip("…")) == (end, "x" * min(length, 200))
