from datetime import timedelta

from messages_app.messages.models import MessageEvent
from messages_app.messages.timeline.entries import Kind, Span, closed, span_entries, spans, without_short
from tests.support.factories import NOON


def at(seconds: float):
    return NOON + timedelta(seconds=seconds)


def events(*changes: tuple[float, str, str]) -> list[MessageEvent]:
    return [MessageEvent(msg_id=1, at=at(when), from_state=old, to_state=new) for when, old, new in changes]


def told(found: list[Span], *, now: float, counted: bool = True) -> list[tuple]:
    return [
        (entry.kind, entry.text, entry.state, entry.is_open)
        for entry in span_entries(found, at=at(now), counted=counted)
    ]


class TestSpans:
    def test_lie_between_the_changes(self):
        changes = events((1, "PROCESSING", "PARTLY_FAILED"), (61, "PARTLY_FAILED", "PROCESSING"))
        found = spans(changes, begun=NOON, is_latest=True)
        assert [(span.state, span.since, span.until, span.became) for span in found] == [
            ("PROCESSING", NOON, at(1), "PARTLY_FAILED"),
            ("PARTLY_FAILED", at(1), at(61), "PROCESSING"),
            ("PROCESSING", at(61), None, ""),
        ]

    def test_have_no_beginning_and_no_end_where_these_are_not_known(self):
        changes = events((1, "NEW", "PROCESSING"), (2, "PROCESSING", "OK"))
        found = spans(changes, begun=None, is_latest=False)
        assert [(span.state, span.since, span.until) for span in found] == [("PROCESSING", at(1), at(2))]

    def test_are_none_without_changes(self):
        assert spans([], begun=NOON, is_latest=True) == []

    def test_never_end_before_they_begin(self):
        found = spans(events((1, "NEW", "OK")), begun=at(5), is_latest=False)
        assert (found[0].since, found[0].until) == (at(1), at(1))


class TestSpanEntries:
    def test_name_attempts_and_what_was_waited_for(self):
        changes = events(
            (0.02, "NEW", "PROCESSING"),
            (0.32, "PROCESSING", "PARTLY_FAILED"),
            (60.32, "PARTLY_FAILED", "PROCESSING"),
            (61, "PROCESSING", "POSTPONED"),
            (61 + 41 * 60, "POSTPONED", "PROCESSING"),
            (61 + 41 * 60 + 1, "PROCESSING", "OK"),
        )
        assert told(spans(changes, begun=NOON, is_latest=True), now=9999) == [
            (Kind.WAIT, "Waited 20 ms in NEW", "NEW", False),
            (Kind.ATTEMPT, "Attempt 1", "PARTLY_FAILED", False),
            (Kind.WAIT, "60 s until the next attempt", "PARTLY_FAILED", False),
            (Kind.ATTEMPT, "Attempt 2", "POSTPONED", False),
            (Kind.WAIT, "Waited 41 min in POSTPONED", "POSTPONED", False),
            (Kind.ATTEMPT, "Attempt 3", "OK", False),
        ]

    def test_say_how_long_it_lasts_so_far(self):
        waiting = spans(events((0, "PROCESSING", "WAITING")), begun=None, is_latest=True)
        working = spans(events((0, "NEW", "PROCESSING")), begun=None, is_latest=True)
        assert told(waiting, now=300) == [(Kind.WAIT, "In WAITING for 5 min so far", "WAITING", True)]
        assert told(working, now=5) == [(Kind.ATTEMPT, "Attempt 1, 5 s so far", "", True)]

    def test_do_not_promise_an_attempt_that_did_not_come(self):
        changes = events((0, "PROCESSING", "PARTLY_FAILED"), (9, "PARTLY_FAILED", "CANCEL"))
        found = spans(changes, begun=None, is_latest=True)
        assert told(found, now=99) == [(Kind.WAIT, "Waited 9 s in PARTLY_FAILED", "PARTLY_FAILED", False)]

    def test_do_not_number_attempts_whose_predecessors_are_unknown(self):
        found = spans(events((0, "NEW", "PROCESSING"), (1, "PROCESSING", "OK")), begun=None, is_latest=True)
        assert told(found, now=9, counted=False) == [(Kind.ATTEMPT, "Attempt", "OK", False)]


class TestWithoutShort:
    def test_leaves_out_short_waits_alone(self):
        changes = events((0.5, "NEW", "PROCESSING"), (0.6, "PROCESSING", "POSTPONED"))
        found = list(span_entries(spans(changes, begun=NOON, is_latest=True), at=at(0.7), counted=True))
        kept = without_short(found, seconds=1)
        assert [entry.text for entry in kept] == ["Attempt 1", "In POSTPONED for 100 ms so far"]


class TestClosed:
    def test_ends_what_lasts_now(self):
        assert closed([Span(state="WAITING", since=NOON)], at=at(5))[0][1] == at(5)
        assert closed([Span(state="WAITING", since=NOON, until=at(1))], at=at(5))[0][1] == at(1)
