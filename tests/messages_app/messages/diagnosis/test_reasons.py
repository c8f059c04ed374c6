"""Each published code is documented, and some rows lead to it."""

from datetime import UTC, datetime

import pytest

from messages_app.messages.diagnosis.explanation import build_explanation, make_step, name_messages
from messages_app.messages.diagnosis.reason_texts import REASON_TEXTS
from messages_app.messages.diagnosis.reasons import NEXT_MEANINGS, By, NextStep, Reason
from messages_app.messages.hub_columns import MessageColumns
from tests.messages_app.messages.diagnosis.explanations import make_child, reason_of, record_change
from tests.messages_app.messages.funnels.rows import ago, in_funnel, ordered, stored
from tests.support.factories import make_archived_message, make_external_call

E103 = {"failed_error_code": "E103", "failed_count": 4}


def _after(*before: MessageColumns | None, then: MessageColumns) -> MessageColumns:
    """Return the last message; the others were stored before it."""
    return then


def _family(*children: tuple[str, dict[str, object]], state: str = "WAITING", **columns: object):
    parent = stored(state, age=100, **columns)
    for child_state, child_columns in children:
        make_child(parent, child_state, **child_columns)
    return parent


def _changed(state: str, *steps: tuple[str, str, str | None]) -> MessageColumns:
    message = stored(state)
    for from_state, to_state, actor in steps:
        record_change(message, from_state, to_state, actor=actor)
    return message


def _confirmed(state: str) -> MessageColumns:
    message = stored("OK")
    make_external_call(message, operation_name="confirmation", entity_id=message.correlation_id, state=state)
    return message


def _outrun(*, created: float) -> MessageColumns:
    older = stored("OK", age=100, object_id="42", last_process_timestamp=ago(40))
    newer = stored("OK", age=50, object_id="42")
    make_external_call(newer, entity_id="42", creation_timestamp=ago(created), last_update_timestamp=ago(45))
    return older


EXAMPLES = {
    Reason.PROCESSING: lambda: stored("PROCESSING"),
    Reason.STUCK: lambda: stored("PROCESSING", age=301),
    Reason.NEVER_REPAIRED: lambda: stored("PROCESSING", start_process_timestamp=None),
    Reason.NEVER_PICKED_UP: lambda: stored("NEW"),
    Reason.ORDER_WITHOUT_VALUE: lambda: stored("POSTPONED", guaranteed_order=True),
    Reason.WAITS_FOR_RETRY: lambda: stored("PARTLY_FAILED"),
    Reason.RESTARTED: lambda: _changed("PARTLY_FAILED", ("FAILED", "PARTLY_FAILED", "ada")),
    Reason.STARVED_BY_POSTPONED: lambda: _after(
        stored("POSTPONED", age=10), then=stored("PARTLY_FAILED", age=200)
    ),
    Reason.RETRY_OVERDUE: lambda: stored("PARTLY_FAILED", age=200),
    Reason.FREE_TO_GO: lambda: in_funnel("POSTPONED"),
    Reason.HELD_BY_FUNNEL: lambda: _after(in_funnel("PROCESSING"), then=in_funnel("POSTPONED")),
    Reason.BEHIND_IN_LINE: lambda: _after(in_funnel("POSTPONED", age=70), then=in_funnel("POSTPONED")),
    Reason.PERHAPS_HELD_BY_FUNNEL_ORDER: lambda: _after(
        in_funnel("FAILED", age=70), then=in_funnel("POSTPONED")
    ),
    Reason.POSTPONES_ITSELF: lambda: stored("POSTPONED", values=("1", "2")),
    Reason.POSTPONED_WITHOUT_CAUSE: lambda: stored("POSTPONED"),
    Reason.HELD_BY_ORDER: lambda: _after(ordered("WAITING", age=70), then=ordered("POSTPONED")),
    Reason.HELD_BY_FAILED_ORDER: lambda: _after(ordered("FAILED", age=70), then=ordered("POSTPONED")),
    Reason.ORDER_TIME_OVER: lambda: _after(
        ordered("FAILED", age=900), then=ordered("POSTPONED", receive_timestamp=ago(301))
    ),
    Reason.WAITS_FOR_CHILDREN: lambda: _family(("PROCESSING", {})),
    Reason.WAITS_FOR_UNANSWERED_CHILD: lambda: _family(("WAITING_FOR_RES", {})),
    Reason.WILL_WAIT_FOR_EVER: lambda: _family(("PROCESSING", {}), ("CANCEL", {})),
    Reason.WAITS_FOR_CANCELLED_CHILD: lambda: _family(("OK", {}), ("CANCEL", {})),
    Reason.WAITS_FOR_FAILED_CHILD: lambda: _family(("OK", {}), ("FAILED", {})),
    Reason.WAITS_FOR_SOFT_CHILD: lambda: _family(("OK", {}), ("FAILED", {"binding": "SOFT"})),
    Reason.WAITS_WITH_ONLY_SOFT_CHILDREN: lambda: _family(("OK", {"binding": "SOFT"})),
    Reason.WAITS_WITHOUT_CHILDREN: lambda: _family(),
    Reason.CHILDREN_ALL_OK: lambda: _family(("OK", {})),
    Reason.WAITS_FOR_RESPONSE: lambda: stored("WAITING_FOR_RES"),
    Reason.RESPONSE_OVERDUE: lambda: stored("WAITING_FOR_RES", age=3601),
    Reason.FAILED_BY_CHILD: lambda: _family(("FAILED", E103), state="FAILED", **E103),
    Reason.FAILED_IN_ORDER: lambda: ordered("FAILED", failed_error_code="E121"),
    Reason.FAILED_AFTER_REPAIR: lambda: stored("FAILED", failed_error_code="E116", failed_count=4),
    Reason.FAILED_AFTER_TRIES: lambda: stored("FAILED", **E103),
    Reason.FAILED_AT_ONCE: lambda: stored("FAILED", failed_error_code="E102", failed_count=1),
    Reason.CANCELLED: lambda: stored("CANCEL"),
    Reason.CANCEL_REQUESTED: lambda: _changed("CANCEL", ("PROCESSING", "CANCEL", "ada")),
    Reason.CANCEL_OVERTAKEN: lambda: _changed("OK", ("PROCESSING", "CANCEL", "ada"), ("CANCEL", "OK", None)),
    Reason.CONFIRMATION_FAILING: lambda: _confirmed("FAILED"),
    Reason.CONFIRMATION_GIVEN_UP: lambda: _confirmed("FAILED_END"),
    Reason.CALL_PROBABLY_SKIPPED: lambda: _outrun(created=48),
    Reason.CALL_PROBABLY_TAKEN_OVER: lambda: _outrun(created=95),
    Reason.DONE_AFTER_FAILURES: lambda: stored("OK", failed_count=1),
    Reason.DONE: lambda: stored("OK"),
    Reason.ARCHIVED_UNFINISHED: lambda: make_archived_message(state="WAITING"),
    Reason.UNKNOWN_STATE: lambda: stored("LIMBO"),
}
IN_OPENHUB = {
    Reason.NOT_TAKEN_YET: lambda: stored("NEW"),
    Reason.IN_QUEUE: lambda: stored("IN_QUEUE"),
    Reason.CHILDREN_ENDED_TOO_EARLY: lambda: _family(("OK", {"age": 101})),
}


def _with_an_archived_child() -> MessageColumns:
    parent = _family(("OK", {}))
    make_archived_message(parent_msg_id=parent.pk, parent_binding_type="HARD")
    return parent


EXAMPLES[Reason.WAITS_FOR_ARCHIVED_CHILD] = _with_an_archived_child


class TestReason:
    @pytest.mark.django_db
    @pytest.mark.parametrize("code", list(Reason))
    def test_is_given_for_some_rows(self, settings, code):
        settings.HUB_RULES = "cleverbus" if code in EXAMPLES else "openhub"
        assert reason_of((EXAMPLES | IN_OPENHUB)[code]()) == code

    def test_has_texts(self):
        assert set(REASON_TEXTS) == set(Reason)


class TestNextStep:
    def test_has_a_meaning(self):
        assert set(NEXT_MEANINGS) == set(NextStep)


NOTHING = make_step(NextStep.NOTHING, By.NOBODY)


class TestStep:
    def test_writes_times_as_iso(self):
        at = datetime(2026, 11, 21, 13, 58, 7, tzinfo=UTC)
        assert make_step(NextStep.POLL, By.HUB, at=at, becomes="PROCESSING") == {
            "what": "poll",
            "at": "2026-11-21T13:58:07Z",
            "latest": None,
            "by": "hub",
            "becomes": "PROCESSING",
        }


class TestBuildExplanation:
    def test_leaves_out_empty_sentences(self):
        assert build_explanation(Reason.DONE, "One.", "", "Two.", next_step=NOTHING).summary == "One. Two."

    def test_mentions_the_messages_in_the_summary(self):
        explanation = build_explanation(
            Reason.DONE, "Message 7 of 12.", next_step=NOTHING, blocked_by=[7, 8], names=[12, 1, 7]
        )
        assert explanation.blocked_by == [7, 8]
        assert explanation.mentions == [7, 12]

    def test_limits_the_blockers(self):
        assert (
            len(build_explanation(Reason.DONE, "", next_step=NOTHING, blocked_by=list(range(50))).blocked_by)
            == 20
        )


class TestNameMessages:
    def test_names_one_or_several(self):
        assert [name_messages([7]), name_messages([7, 8])] == ["message 7", "messages 7 and 8"]
