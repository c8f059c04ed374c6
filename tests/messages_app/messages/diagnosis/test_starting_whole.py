"""Whole explanations of NEW, IN_QUEUE and PROCESSING."""

import pytest

from tests.messages_app.messages.diagnosis.explanations import check_explanation, explanation_of
from tests.messages_app.messages.funnels.rows import ago, stored
from tests.support.factories import make_external_call

pytestmark = pytest.mark.django_db


def test_explains_a_stuck_message_with_calls():
    make_external_call(stored("PROCESSING", msg_id=102, age=400), operation_name="direct:other")
    explained = stored("PROCESSING", msg_id=101, age=400, failed_count=1)
    make_external_call(
        explained, operation_name="direct:erp", state="PROCESSING", last_update_timestamp=ago(390)
    )
    make_external_call(
        explained, operation_name="confirmation", state="FAILED", entity_id=explained.correlation_id
    )
    check_explanation(
        explained,
        "stuck",
        (
            "PROCESSING for 6 min, since 2026-11-02 11:53:20 UTC: its worker has probably stopped "
            "or is very slow. Its last call, direct:erp, is PROCESSING since 2026-11-02 11:53:30 "
            "UTC. The repair sets it to PARTLY_FAILED and counts one more failure, after 1 "
            "failure, by about 2026-11-02 12:03:20 UTC."
        ),
        next={
            "what": "repair",
            "at": "2026-11-02T12:00:00Z",
            "latest": "2026-11-02T12:03:20Z",
            "by": "hub",
            "becomes": "PARTLY_FAILED",
        },
    )


def test_explains_a_stuck_message_with_its_last_failure():
    check_explanation(
        stored("PROCESSING", msg_id=101, age=4000, failed_count=3),
        "stuck",
        (
            "PROCESSING for 66 min, since 2026-11-02 10:53:20 UTC: its worker has probably "
            "stopped or is very slow. The repair sets it to FAILED (E116), because it already has "
            "3 failures, by about 2026-11-02 12:05:00 UTC."
        ),
        next={
            "what": "repair",
            "at": "2026-11-02T12:00:00Z",
            "latest": "2026-11-02T12:05:00Z",
            "by": "hub",
            "becomes": "FAILED",
        },
    )


def test_explains_a_stuck_message_without_failures():
    check_explanation(
        stored("PROCESSING", msg_id=101, age=301, failed_count=0),
        "stuck",
        (
            "PROCESSING for 5 min, since 2026-11-02 11:54:59 UTC: its worker has probably stopped "
            "or is very slow. The repair sets it to PARTLY_FAILED and counts one more failure, "
            "after 0 failures, by about 2026-11-02 12:04:59 UTC."
        ),
        next={
            "what": "repair",
            "at": "2026-11-02T12:00:00Z",
            "latest": "2026-11-02T12:04:59Z",
            "by": "hub",
            "becomes": "PARTLY_FAILED",
        },
    )


def test_explains_a_message_in_progress():
    check_explanation(
        stored("PROCESSING", msg_id=101, age=30, failed_count=0),
        "processing",
        (
            "PROCESSING since 2026-11-02 11:59:30 UTC: the hub is processing it. If it is still "
            "here at 2026-11-02 12:04:30 UTC, the repair steps in by about 2026-11-02 12:09:30 "
            "UTC."
        ),
        next={"what": "route", "latest": "2026-11-02T12:09:30Z", "by": "hub"},
    )


def test_explains_a_new_message_in_openhub(openhub):
    check_explanation(
        stored("NEW", msg_id=101, age=31),
        "not_taken_yet",
        (
            "NEW since 2026-11-02 11:59:29 UTC: the hub has stored it and not picked it up yet. "
            "If it is still here at 2026-11-02 12:04:29 UTC, the repair steps in by about "
            "2026-11-02 12:09:29 UTC."
        ),
        next={"what": "route", "latest": "2026-11-02T12:09:29Z", "by": "hub"},
    )


def test_explains_a_reserved_message_in_openhub(openhub):
    check_explanation(
        stored("IN_QUEUE", msg_id=101, age=32),
        "in_queue",
        (
            "IN_QUEUE since 2026-11-02 11:59:28 UTC: a node of the hub has reserved it and will "
            "start it. If it is still here at 2026-11-02 12:04:28 UTC, the repair steps in by "
            "about 2026-11-02 12:09:28 UTC."
        ),
        next={"what": "route", "latest": "2026-11-02T12:09:28Z", "by": "hub"},
    )


def test_explains_a_new_message_in_cleverbus():
    check_explanation(
        stored("NEW", msg_id=101, age=31),
        "never_picked_up",
        (
            "NEW for 31 s: this hub (cleverbus) never picks up a message in this state. It will "
            "not continue on its own. Cancel it, and restart it if it is still needed."
        ),
        next={"what": "cancel", "by": "operator"},
    )


def test_explains_a_message_without_a_start():
    check_explanation(
        stored("PROCESSING", msg_id=101, age=31, start_process_timestamp=None),
        "never_repaired",
        (
            "PROCESSING for 31 s, without a start time: if its worker is gone, nothing will pick "
            "it up, because the repair only finds messages with a start time. It cannot be "
            "cancelled in PROCESSING. Its row must be corrected."
        ),
        next={"what": "correct", "by": "operator"},
    )


@pytest.mark.parametrize(
    ("count", "backlog"),
    [
        (50, "by about 2026-11-02 12:03:20 UTC."),
        (51, "UTC or later: 51 messages are stuck and a run repairs 50."),
        (60, "UTC or later: 60 messages are stuck and a run repairs 50."),
        (61, "UTC or later: more than 60 messages are stuck and a run repairs 50."),
        (70, "UTC or later: more than 60 messages are stuck and a run repairs 50."),
    ],
)
def test_explains_a_backlog_of_the_repair(monkeypatch, count, backlog):
    monkeypatch.setattr("messages_app.messages.diagnosis.starting._MAX_STUCK", 60)
    for number in range(count - 1):
        stored("PROCESSING", msg_id=1001 + number, age=301)
    explained = stored("PROCESSING", msg_id=101, age=400)
    assert explanation_of(explained).summary.endswith(backlog)


def test_explains_a_backlog_without_messages_that_are_not_stuck(monkeypatch):
    monkeypatch.setattr("messages_app.messages.diagnosis.starting.REPAIRED_PER_RUN", 1)
    explained = stored("PROCESSING", msg_id=101, age=400)
    stored("PROCESSING", age=300)
    stored("PROCESSING", age=900, start_process_timestamp=None)
    stored("IN_QUEUE", age=900)
    stored("OK", age=900)
    assert "are stuck" not in explanation_of(explained).summary
    stored("PROCESSING", age=301)
    assert "UTC or later: 2 messages are stuck and a run repairs 1." in explanation_of(explained).summary
