from datetime import timedelta

from messages_app.audit.models import AuditEntry
from messages_app.messages.models import ExternalCall, Message, MessageEvent, Request, Response
from messages_app.messages.timeline import row_entries
from messages_app.messages.timeline.entries import Entry, Kind
from messages_app.messages.traffic.exchanges import Exchange
from tests.support.factories import NOON


def at(seconds: float):
    return NOON + timedelta(seconds=seconds)


def message(**columns: object) -> Message:
    return Message(msg_id=1, receive_timestamp=NOON, **{"state": "OK"} | columns)


def request(**columns: object) -> Request:
    return Request(req_id=7, msg_id=1, uri="http://a.example/", req_timestamp=NOON, **columns)


def response(seconds: float | None, **columns: object) -> Response:
    answered = None if seconds is None else at(seconds)
    return Response(**{"res_id": 8, "req_id": 7, "res_timestamp": answered, "failed": False} | columns)


def action(**columns: object) -> AuditEntry:
    return AuditEntry(at=NOON, actor="ada", reason="why", **columns)


def entries_of_exchange(*responses: Response, sent: Request | None = None) -> list[Entry]:
    return list(row_entries.exchange_entries([Exchange(sent, list(responses))]))


class TestSortEntries:
    def test_sorts_by_time_then_by_kind(self):
        change = Entry(at=NOON, kind=Kind.STATE_CHANGE, text="")
        received = Entry(at=NOON, kind=Kind.RECEIVED, text="")
        earlier = Entry(at=at(-1), kind=Kind.OPERATOR_ACTION, text="")
        assert row_entries.sort_entries([change, received, earlier]) == [earlier, received, change]

    def test_sorts_entries_without_a_time_by_their_place_or_last(self):
        lost = Entry(at=None, kind=Kind.RESPONSE, text="lost")
        placed = Entry(at=None, kind=Kind.RESPONSE, text="placed", placed=at(1))
        last = Entry(at=at(2), kind=Kind.STATE_CHANGE, text="last")
        assert row_entries.sort_entries([lost, last, placed]) == [placed, last, lost]


class TestOwnEntries:
    def test_report_receipt_and_queue(self):
        kinds = [entry.kind for entry in row_entries.own_entries(message(start_in_queue_timestamp=at(1)))]
        assert kinds == [Kind.RECEIVED, Kind.QUEUED]
        assert len(list(row_entries.own_entries(message()))) == 1


class TestFindStart:
    def test_is_the_receipt(self):
        event = MessageEvent(at=at(9))
        own = message(start_process_timestamp=at(3))
        assert row_entries.find_start(own, event, started_again=False) == NOON

    def test_is_the_start_of_a_child_that_started_once(self):
        child = message(parent_msg_id=5, start_process_timestamp=at(3))
        assert row_entries.find_start(child, MessageEvent(at=at(9)), started_again=False) == at(3)
        assert row_entries.find_start(child, MessageEvent(at=at(9)), started_again=True) == NOON
        assert row_entries.find_start(child, MessageEvent(at=at(2)), started_again=False) == NOON


class TestSpansWithoutHistory:
    def test_are_the_last_attempt_of_a_final_message(self):
        times = {"start_process_timestamp": at(1), "last_process_timestamp": at(2)}
        found = row_entries.spans_without_history(message(state="FAILED", **times))
        assert [(span.state, span.since, span.until, span.became) for span in found] == [
            ("PROCESSING", at(1), at(2), "FAILED")
        ]

    def test_continue_with_the_wait_after_it(self):
        times = {"start_process_timestamp": at(1), "last_process_timestamp": at(2)}
        found = row_entries.spans_without_history(message(state="POSTPONED", **times))
        assert [(span.state, span.until) for span in found] == [("PROCESSING", at(2)), ("POSTPONED", None)]

    def test_are_open_while_it_is_processed(self):
        found = row_entries.spans_without_history(message(state="PROCESSING", last_process_timestamp=at(2)))
        assert [(span.state, span.since, span.until) for span in found] == [("PROCESSING", NOON, None)]

    def test_leave_out_an_attempt_whose_times_contradict_each_other(self):
        times = {"start_process_timestamp": at(5), "last_process_timestamp": at(2)}
        assert row_entries.spans_without_history(message(**times)) == []


class TestCallEntries:
    def test_end_with_the_last_change(self):
        call = ExternalCall(call_id=3, state="OK", creation_timestamp=NOON, last_update_timestamp=at(2))
        (entry,) = row_entries.call_entries([call])
        assert (entry.at, entry.until, entry.is_open, entry.id, entry.is_failure) == (
            NOON,
            at(2),
            False,
            3,
            False,
        )

    def test_are_open_while_they_are_processed(self):
        call = ExternalCall(state="PROCESSING", creation_timestamp=NOON, last_update_timestamp=at(2))
        (entry,) = row_entries.call_entries([call])
        assert (entry.until, entry.is_open) == (None, True)

    def test_show_how_often_they_failed(self):
        call = ExternalCall(
            state="FAILED_END", creation_timestamp=at(3), last_update_timestamp=NOON, failed_count=4
        )
        (entry,) = row_entries.call_entries([call])
        assert (entry.until, entry.note, entry.is_failure) == (at(3), "failed 4 times", True)


class TestExchangeEntries:
    def test_end_a_request_with_its_first_response(self):
        sent, *answers = entries_of_exchange(response(0.08), response(2), sent=request())
        assert (sent.until, sent.note, sent.id) == (
            at(0.08),
            "answered after 80 ms, 2 responses",
            7,
        )
        assert [entry.kind for entry in answers] == [Kind.RESPONSE, Kind.RESPONSE]
        assert {entry.belongs_to for entry in answers} == {7}

    def test_accept_a_missing_response(self):
        (sent,) = entries_of_exchange(sent=request())
        assert (sent.until, sent.state, sent.note) == (
            None,
            "",
            "no response recorded",
        )

    def test_show_why_a_request_failed(self):
        failed = response(1.2, failed=True, failed_reason="Refused\n\tat a.b")
        sent, answer = entries_of_exchange(failed, sent=request())
        assert (sent.state, sent.note) == ("failed", "failed after 1.2 s: Refused")
        assert (answer.state, answer.note) == ("failed", "Refused")

    def test_place_a_response_without_a_time_next_to_its_request(self):
        _, answer = entries_of_exchange(response(None), sent=request())
        assert (answer.at, answer.position) == (None, NOON)

    def test_do_not_end_a_request_before_it_started(self):
        sent, _ = entries_of_exchange(response(-5), sent=request())
        assert (sent.until, sent.note) == (None, "answered")

    def test_keep_a_response_without_a_request(self):
        (answer,) = entries_of_exchange(response(1))
        assert (answer.kind, answer.belongs_to) == (Kind.RESPONSE, None)


class TestActionEntries:
    def test_show_who_did_what_and_why(self):
        (entry,) = row_entries.action_entries(
            [action(action="restart", outcome="done", details={"total": True})]
        )
        assert (entry.text, entry.actor, entry.note) == ("Restart from scratch", "ada", "why")
        assert not entry.is_failure

    def test_show_why_an_action_was_refused(self):
        refused = action(action="cancel", outcome="refused", details={"refusal": "too late"})
        (entry,) = row_entries.action_entries([refused])
        assert (entry.state, entry.note, entry.is_failure) == ("refused", "why too late", True)


class TestFirstLine:
    def test_is_cut_to_200_characters(self):
        assert row_entries.first_line(" a\nb") == "a"
        assert row_entries.first_line(None) == ""
        assert len(row_entries.first_line("x" * 500)) == 201
