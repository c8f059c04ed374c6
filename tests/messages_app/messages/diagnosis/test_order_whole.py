"""Whole explanations of messages of a guaranteed order."""

import pytest

from tests.messages_app.messages.diagnosis.explanations import check_explanation
from tests.messages_app.messages.funnels.rows import ago, ordered, stored

pytestmark = pytest.mark.django_db

ERROR = {"failed_error_code": "E103", "failed_count": 4}


def test_explains_the_second_in_line():
    ordered("FAILED", age=300, msg_id=101, **ERROR)
    check_explanation(
        ordered("POSTPONED", age=200, msg_id=102),
        "held_by_failed_order",
        (
            "POSTPONED for 3 min: its order is guaranteed, and message 101, FAILED since "
            "2026-11-02 11:55:00 UTC with E103 (communication with the target failed), is before "
            "it. It continues when 101 is restarted and becomes OK or is cancelled. Otherwise the "
            "hub's first check after 2026-11-02 12:01:40 UTC sets it to FAILED with E121."
        ),
        next={"what": "restart_blocker", "latest": "2026-11-02T12:01:40Z", "by": "operator"},
        blocked_by=[101],
    )


def test_explains_the_third_in_line():
    ordered("WAITING", age=301, msg_id=101, **ERROR)
    ordered("POSTPONED", age=200, msg_id=102)
    check_explanation(
        ordered("POSTPONED", age=100, msg_id=103),
        "held_by_order",
        (
            "POSTPONED for 100 s: its order is guaranteed, and message 101, WAITING since "
            "2026-11-02 11:54:59 UTC, is before it; it is third in line. It continues when 101 is "
            "OK or cancelled. Otherwise the hub's first check after 2026-11-02 12:03:20 UTC sets "
            "it to FAILED with E121."
        ),
        next={"what": "poll", "at": "2026-11-02T12:00:00Z", "latest": "2026-11-02T12:01:00Z", "by": "hub"},
        blocked_by=[101],
    )


def test_explains_too_long_a_wait():
    ordered("FAILED", age=500, msg_id=101, **ERROR)
    check_explanation(
        ordered("POSTPONED", age=100, msg_id=103, receive_timestamp=ago(301)),
        "order_time_over",
        (
            "POSTPONED for 100 s: its order is guaranteed, and message 101, FAILED since "
            "2026-11-02 11:51:40 UTC with E103 (communication with the target failed), is before "
            "it. Received 5 min ago, it has waited longer than 5 min (the hub's default). The "
            "hub's next check, by 2026-11-02 12:01:00 UTC, sets it to FAILED with E121 unless 101 "
            "is OK or cancelled by then."
        ),
        next={
            "what": "poll",
            "at": "2026-11-02T12:00:00Z",
            "latest": "2026-11-02T12:01:00Z",
            "by": "hub",
            "becomes": "FAILED",
        },
        blocked_by=[101],
    )


def test_explains_a_chain_behind_a_failed_message():
    ordered("FAILED", age=500, msg_id=101, failed_error_code="E102")
    for n, a in ((102, 400), (103, 300)):
        ordered("FAILED", age=a, msg_id=n, failed_error_code="E121", failed_count=1)
    ordered("FAILED", age=50, msg_id=105, failed_error_code="E121", failed_count=1)
    check_explanation(
        ordered("FAILED", age=200, msg_id=104, failed_error_code="E121", failed_count=1),
        "failed_in_order",
        (
            "FAILED with E121 (waited too long in POSTPONED) at 2026-11-02 11:56:40 UTC because "
            "of message 101, FAILED since 2026-11-02 11:51:40 UTC with E102 (validation failed), "
            "which is earlier in its guaranteed order. Restart 101 first and wait until it is OK. "
            "Then restart the messages behind it, oldest first: 102 and 103 before this one."
        ),
        next={"what": "restart_blocker", "by": "operator"},
        blocked_by=[101],
        mentions=[101, 102, 103],
    )


def test_explains_a_message_behind_an_unfinished_one():
    ordered("WAITING", age=500, msg_id=101, failed_error_code="E102")
    check_explanation(
        ordered("FAILED", age=200, msg_id=104, failed_error_code="E121", failed_count=1),
        "failed_in_order",
        (
            "FAILED with E121 (waited too long in POSTPONED) at 2026-11-02 11:56:40 UTC because "
            "of message 101, WAITING since 2026-11-02 11:51:40 UTC, which is earlier in its "
            "guaranteed order. Wait until 101 finishes. Then restart the messages behind it, "
            "oldest first."
        ),
        next={"what": "blocker_ends", "by": "hub"},
        blocked_by=[101],
    )


def test_explains_a_message_behind_no_other():
    check_explanation(
        ordered("FAILED", age=200, msg_id=104, failed_error_code="E121", failed_count=1),
        "failed_in_order",
        (
            "FAILED with E121 (waited too long in POSTPONED) at 2026-11-02 11:56:40 UTC: an "
            "earlier message in its guaranteed order was not finished by then, and none is before "
            "it now. Restart it, then the messages behind it, oldest first."
        ),
        next={"what": "restart", "by": "operator"},
    )


def test_explains_an_order_without_a_value():
    check_explanation(
        stored("PROCESSING", msg_id=101, age=31, guaranteed_order=True),
        "order_without_value",
        (
            "PROCESSING for 31 s: its order is guaranteed but it has no funnel value, so the "
            "hub's check of the order fails at each attempt. The repair sets it to PARTLY_FAILED "
            "and counts one more failure, after 0 failures, by about 2026-11-02 12:09:29 UTC."
        ),
        next={
            "what": "repair",
            "at": "2026-11-02T12:04:29Z",
            "latest": "2026-11-02T12:09:29Z",
            "by": "hub",
            "becomes": "PARTLY_FAILED",
        },
    )


def test_explains_an_order_without_a_value_after_a_failure():
    check_explanation(
        stored("PARTLY_FAILED", msg_id=101, age=31, guaranteed_order=True),
        "order_without_value",
        (
            "PARTLY_FAILED for 31 s: its order is guaranteed but it has no funnel value, so the "
            "hub's check of the order fails at each attempt. The next attempts will fail too, "
            "until it is FAILED."
        ),
        next={"what": "correct", "by": "operator"},
    )
