"""Whole explanations of PARTLY_FAILED."""

import pytest

from tests.messages_app.messages.diagnosis.explanations import check_explanation, record_change
from tests.messages_app.messages.funnels.rows import ago, in_funnel, stored
from tests.support.factories import make_external_call

pytestmark = pytest.mark.django_db


def test_explains_a_failed_attempt():
    check_explanation(
        stored("PARTLY_FAILED", msg_id=101, age=20, failed_count=1, failed_error_code="E103"),
        "waits_for_retry",
        (
            "PARTLY_FAILED since 2026-11-02 11:59:40 UTC: 1 attempt failed, last with E103 "
            "(communication with the target failed). The hub retries it between 2026-11-02 "
            "12:00:40 UTC and 2026-11-02 12:01:40 UTC; it has 3 of 4 attempts left."
        ),
        next={
            "what": "poll",
            "at": "2026-11-02T12:00:40Z",
            "latest": "2026-11-02T12:01:40Z",
            "by": "hub",
            "becomes": "PROCESSING",
        },
    )


def test_explains_no_failed_attempt():
    check_explanation(
        stored("PARTLY_FAILED", msg_id=101, age=20, failed_count=0),
        "waits_for_retry",
        (
            "PARTLY_FAILED since 2026-11-02 11:59:40 UTC: no failure is counted. The hub retries "
            "it between 2026-11-02 12:00:40 UTC and 2026-11-02 12:01:40 UTC; it has 4 of 4 "
            "attempts left."
        ),
        next={
            "what": "poll",
            "at": "2026-11-02T12:00:40Z",
            "latest": "2026-11-02T12:01:40Z",
            "by": "hub",
            "becomes": "PROCESSING",
        },
    )


def test_explains_a_call_that_still_runs():
    explained = stored("PARTLY_FAILED", msg_id=101, age=20, failed_count=2, failed_error_code="E112")
    make_external_call(
        explained, operation_name="direct:erp", state="PROCESSING", last_update_timestamp=ago(100)
    )
    make_external_call(explained, operation_name="direct:two", state="OK")
    check_explanation(
        explained,
        "waits_for_retry",
        (
            "PARTLY_FAILED since 2026-11-02 11:59:40 UTC: 2 attempts failed, last with E112 (a "
            "record could not be locked). The hub retries it between 2026-11-02 12:00:40 UTC and "
            "2026-11-02 12:01:40 UTC; it has 2 of 4 attempts left. Its call direct:erp is still "
            "PROCESSING: until the repair frees it, by about 2026-11-02 12:08:20 UTC, each "
            "attempt ends in E112."
        ),
        next={
            "what": "poll",
            "at": "2026-11-02T12:00:40Z",
            "latest": "2026-11-02T12:01:40Z",
            "by": "hub",
            "becomes": "PROCESSING",
        },
    )


def test_explains_a_call_that_has_run_for_long():
    explained = stored("PARTLY_FAILED", msg_id=101, age=20, failed_count=2, failed_error_code="E112")
    make_external_call(
        explained, operation_name="direct:erp", state="PROCESSING", last_update_timestamp=ago(400)
    )
    check_explanation(
        explained,
        "waits_for_retry",
        (
            "PARTLY_FAILED since 2026-11-02 11:59:40 UTC: 2 attempts failed, last with E112 (a "
            "record could not be locked). The hub retries it between 2026-11-02 12:00:40 UTC and "
            "2026-11-02 12:01:40 UTC; it has 2 of 4 attempts left. Its call direct:erp is still "
            "PROCESSING: until the repair frees it, by about 2026-11-02 12:05:00 UTC, each "
            "attempt ends in E112."
        ),
        next={
            "what": "poll",
            "at": "2026-11-02T12:00:40Z",
            "latest": "2026-11-02T12:01:40Z",
            "by": "hub",
            "becomes": "PROCESSING",
        },
    )


def test_explains_a_late_poll():
    check_explanation(
        stored("PARTLY_FAILED", msg_id=101, age=185),
        "retry_overdue",
        (
            "PARTLY_FAILED since 2026-11-02 11:56:55 UTC and due for 2 min: nothing blocks it, "
            "but the hub has not picked it up. The hub polls every 60 s (the hub's default) while "
            "it runs: check that it is running."
        ),
        next={"what": "check_hub", "by": "operator", "becomes": "PROCESSING"},
    )


def test_explains_one_due_postponed_message():
    in_funnel("POSTPONED", age=10)
    in_funnel("POSTPONED", age=10, last_process_timestamp=None)
    in_funnel("POSTPONED", age=4)
    check_explanation(
        stored("PARTLY_FAILED", msg_id=101, age=121),
        "starved_by_postponed",
        (
            "PARTLY_FAILED and due for 61 s: this hub picks up failed messages only when no "
            "POSTPONED one is due, and 1 message in POSTPONED is due. It is retried when those "
            "are finished, no longer blocked, or cancelled."
        ),
        next={"what": "poll", "at": "2026-11-02T12:00:00Z", "by": "hub", "becomes": "PROCESSING"},
    )


def test_explains_two_due_postponed_messages():
    in_funnel("POSTPONED", age=10)
    in_funnel("POSTPONED", age=300)
    check_explanation(
        stored("PARTLY_FAILED", msg_id=101, age=121),
        "starved_by_postponed",
        (
            "PARTLY_FAILED and due for 61 s: this hub picks up failed messages only when no "
            "POSTPONED one is due, and 2 messages in POSTPONED are due. It is retried when those "
            "are finished, no longer blocked, or cancelled."
        ),
        next={"what": "poll", "at": "2026-11-02T12:00:00Z", "by": "hub", "becomes": "PROCESSING"},
    )


def test_explains_a_message_that_polls_do_not_find():
    check_explanation(
        stored("PARTLY_FAILED", msg_id=101, age=20, last_process_timestamp=None),
        "never_picked_up",
        (
            "PARTLY_FAILED, but without the time of its last change: the hub's poll searches by "
            "that time and will never find the message. Cancel it, and restart it if it is still "
            "needed: a restart sets the time."
        ),
        next={"what": "cancel", "by": "operator"},
    )


def test_explains_a_restart_without_a_reason():
    explained = stored("PARTLY_FAILED", msg_id=101, age=20, failed_count=2)
    record_change(explained, "FAILED", "PARTLY_FAILED", actor="ada", age=20)
    check_explanation(
        explained,
        "restarted",
        (
            "Restarted by ada at 2026-11-02 11:59:40 UTC: it was FAILED. The hub retries it "
            "between 2026-11-02 12:00:40 UTC and 2026-11-02 12:01:40 UTC, and then it has 2 of 4 "
            "attempts left."
        ),
        next={
            "what": "poll",
            "at": "2026-11-02T12:00:40Z",
            "latest": "2026-11-02T12:01:40Z",
            "by": "hub",
            "becomes": "PROCESSING",
        },
    )
