from datetime import timedelta

import pytest

from messages_app.messages.models import MessageEvent
from messages_app.messages.timeline.entries import Entry, Kind, leave_out_short_waits
from messages_app.messages.timeline.spans import Span, close_spans, find_spans, span_entries
from tests.support.factories import NOON


def at(seconds: float):
    return NOON + timedelta(seconds=seconds)


def events(*changes: tuple[float, str, str]) -> list[MessageEvent]:
    return [
        MessageEvent(msg_id=1, at=at(seconds), from_state=old, to_state=new) for seconds, old, new in changes
    ]


def described(spans: list[Span], *, now: float, counted: bool = True) -> list[tuple]:
    return [
        (entry.kind, entry.text, entry.state, entry.is_open)
        for entry in span_entries(spans, at=at(now), counted=counted)
    ]


class TestFindSpans:
    def test_cover_the_time_between_changes(self):
        changes = events((1, "PROCESSING", "PARTLY_FAILED"), (61, "PARTLY_FAILED", "PROCESSING"))
        spans = find_spans(changes, start=NOON, is_latest=True)
        assert [(span.state, span.since, span.until, span.became) for span in spans] == [
            ("PROCESSING", NOON, at(1), "PARTLY_FAILED"),
            ("PARTLY_FAILED", at(1), at(61), "PROCESSING"),
            ("PROCESSING", at(61), None, ""),
        ]

    def test_omit_an_unknown_start_and_end(self):
        changes = events((1, "NEW", "PROCESSING"), (2, "PROCESSING", "OK"))
        spans = find_spans(changes, start=None, is_latest=False)
        assert [(span.state, span.since, span.until) for span in spans] == [("PROCESSING", at(1), at(2))]

    def test_are_empty_without_changes(self):
        assert find_spans([], start=NOON, is_latest=True) == []

    def test_never_end_before_they_start(self):
        spans = find_spans(events((1, "NEW", "OK")), start=at(5), is_latest=False)
        assert (spans[0].since, spans[0].until) == (at(1), at(1))


class TestSpanEntries:
    def test_describe_attempts_and_waits(self):
        changes = events(
            (0.02, "NEW", "PROCESSING"),
            (0.32, "PROCESSING", "PARTLY_FAILED"),
            (60.32, "PARTLY_FAILED", "PROCESSING"),
            (61, "PROCESSING", "POSTPONED"),
            (61 + 41 * 60, "POSTPONED", "PROCESSING"),
            (61 + 41 * 60 + 1, "PROCESSING", "OK"),
        )
        assert described(find_spans(changes, start=NOON, is_latest=True), now=9999) == [
            (Kind.WAIT, "Waited 20 ms in NEW", "NEW", False),
            (Kind.ATTEMPT, "Attempt 1", "PARTLY_FAILED", False),
            (Kind.WAIT, "60 s until the next attempt", "PARTLY_FAILED", False),
            (Kind.ATTEMPT, "Attempt 2", "POSTPONED", False),
            (Kind.WAIT, "Waited 41 min in POSTPONED", "POSTPONED", False),
            (Kind.ATTEMPT, "Attempt 3", "OK", False),
        ]

    def test_show_the_duration_so_far(self):
        waiting = find_spans(events((0, "PROCESSING", "WAITING")), start=None, is_latest=True)
        working = find_spans(events((0, "NEW", "PROCESSING")), start=None, is_latest=True)
        assert described(waiting, now=300) == [(Kind.WAIT, "In WAITING for 5 min so far", "WAITING", True)]
        assert described(working, now=5) == [(Kind.ATTEMPT, "Attempt 1, 5 s so far", "", True)]

    def test_do_not_mention_an_attempt_that_did_not_follow(self):
        changes = events((0, "PROCESSING", "PARTLY_FAILED"), (9, "PARTLY_FAILED", "CANCEL"))
        spans = find_spans(changes, start=None, is_latest=True)
        assert described(spans, now=99) == [
            (Kind.WAIT, "Waited 9 s in PARTLY_FAILED", "PARTLY_FAILED", False)
        ]

    def test_do_not_number_attempts_if_earlier_ones_are_unknown(self):
        spans = find_spans(
            events((0, "NEW", "PROCESSING"), (1, "PROCESSING", "OK")), start=None, is_latest=True
        )
        assert described(spans, now=9, counted=False) == [(Kind.ATTEMPT, "Attempt", "OK", False)]


class TestWithoutShortWaits:
    def test_leaves_out_only_short_waits(self):
        changes = events((0.5, "NEW", "PROCESSING"), (0.6, "PROCESSING", "POSTPONED"))
        spans = list(span_entries(find_spans(changes, start=NOON, is_latest=True), at=at(0.7), counted=True))
        kept = leave_out_short_waits(spans, seconds=1)
        assert [entry.text for entry in kept] == ["Attempt 1", "In POSTPONED for 100 ms so far"]


class TestCloseSpans:
    def test_ends_the_current_span_now(self):
        assert close_spans([Span(state="WAITING", since=NOON)], at=at(5))[0][1] == at(5)
        assert close_spans([Span(state="WAITING", since=NOON, until=at(1))], at=at(5))[0][1] == at(1)


class TestEntry:
    @pytest.mark.parametrize("state", ["FAILED", "PARTLY_FAILED", "FAILED_END", "failed", "refused"])
    def test_is_a_failure_in_these_states(self, state):
        assert Entry(at=NOON, kind=Kind.ATTEMPT, text="", state=state).is_failure

    @pytest.mark.parametrize("state", ["OK", "POSTPONED", "CANCEL", "done", ""])
    def test_is_not_a_failure_in_other_states(self, state):
        assert not Entry(at=NOON, kind=Kind.ATTEMPT, text="", state=state).is_failure

    def test_is_not_a_failure_while_it_waits_for_another_attempt(self):
        assert not Entry(at=NOON, kind=Kind.WAIT, text="", state="PARTLY_FAILED").is_failure
