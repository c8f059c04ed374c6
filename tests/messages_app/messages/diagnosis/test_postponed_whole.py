"""Whole explanations of POSTPONED."""

import pytest

from tests.messages_app.messages.diagnosis.explanations import check_explanation
from tests.messages_app.messages.funnels.rows import in_funnel, stored

pytestmark = pytest.mark.django_db


def test_explains_one_holder():
    in_funnel("PROCESSING", age=121, msg_id=101)
    check_explanation(
        in_funnel("POSTPONED", age=70, msg_id=102),
        "held_by_funnel",
        (
            "POSTPONED for 70 s: message 101 holds funnel value “777” of f (PROCESSING, started "
            "2026-11-02 11:57:59 UTC). It can start when that message is done, or after "
            "2026-11-02 12:07:59 UTC, when 10 min have passed since its start; the hub polls "
            "again by 2026-11-02 12:01:00 UTC."
        ),
        next={"what": "poll", "at": "2026-11-02T12:00:00Z", "latest": "2026-11-02T12:01:00Z", "by": "hub"},
        blocked_by=[101],
    )


def test_explains_two_holders():
    in_funnel("PROCESSING", age=121, msg_id=101)
    in_funnel("WAITING", age=91, msg_id=103)
    in_funnel("POSTPONED", age=85, msg_id=104)
    check_explanation(
        in_funnel("POSTPONED", age=70, msg_id=102),
        "held_by_funnel",
        (
            "POSTPONED for 70 s: messages 101 and 103 hold funnel value “777” of f; the oldest "
            "is 101 (PROCESSING, started 2026-11-02 11:57:59 UTC); this message is second in line. It can "
            "start when those messages are done, or after 2026-11-02 12:08:29 UTC, when 10 min "
            "have passed since their start; the hub polls again by 2026-11-02 12:01:00 UTC."
        ),
        next={"what": "poll", "at": "2026-11-02T12:00:00Z", "latest": "2026-11-02T12:01:00Z", "by": "hub"},
        blocked_by=[101, 103],
    )


def test_explains_a_funnel_without_a_component(openhub):
    in_funnel("NEW", age=121, msg_id=101, funnel_component_id=None)
    check_explanation(
        in_funnel("POSTPONED", age=70, msg_id=102, funnel_component_id=None),
        "held_by_funnel",
        (
            "POSTPONED for 70 s: message 101 holds funnel value “777” (NEW, started 2026-11-02 "
            "11:57:59 UTC). It can start when that message is done, or after 2026-11-02 12:07:59 "
            "UTC, when 10 min have passed since its start; the hub polls again by 2026-11-02 "
            "12:01:00 UTC."
        ),
        next={"what": "poll", "at": "2026-11-02T12:00:00Z", "latest": "2026-11-02T12:01:00Z", "by": "hub"},
        blocked_by=[101],
    )


def test_explains_an_earlier_message_in_line():
    in_funnel("POSTPONED", age=75, msg_id=101)
    check_explanation(
        in_funnel("POSTPONED", age=70, msg_id=102),
        "behind_in_line",
        (
            "POSTPONED for 70 s: nothing holds funnel value “777” of f now, but message 101 is "
            "earlier and goes first; this message is second in line. When 101 is finished, the next one "
            "follows; the hub polls again by 2026-11-02 12:01:00 UTC."
        ),
        next={"what": "poll", "at": "2026-11-02T12:00:00Z", "latest": "2026-11-02T12:01:00Z", "by": "hub"},
        blocked_by=[101],
    )


def test_explains_a_funnel_that_may_keep_order():
    in_funnel("FAILED", age=75, msg_id=101)
    check_explanation(
        in_funnel("POSTPONED", age=70, msg_id=102),
        "perhaps_held_by_funnel_order",
        (
            "POSTPONED for 70 s: nothing holds funnel value “777” of f now, and the hub picks it "
            "up at its next poll. If that funnel keeps order, which no table records, message 101 "
            "(FAILED) has to finish first; the hub polls again by 2026-11-02 12:01:00 UTC."
        ),
        next={"what": "poll", "at": "2026-11-02T12:00:00Z", "latest": "2026-11-02T12:01:00Z", "by": "hub"},
        mentions=[101],
    )


def test_explains_one_message_that_no_longer_counts():
    in_funnel("PROCESSING", age=601, msg_id=101)
    check_explanation(
        in_funnel("POSTPONED", age=70, msg_id=102),
        "free_to_go",
        (
            "POSTPONED for 70 s: nothing holds funnel value “777” of f any longer. Message 101 "
            "still runs, but started more than 10 min ago and no longer counts. The hub picks it "
            "up at its next poll, by 2026-11-02 12:01:00 UTC."
        ),
        next={
            "what": "poll",
            "at": "2026-11-02T12:00:00Z",
            "latest": "2026-11-02T12:01:00Z",
            "by": "hub",
            "becomes": "PROCESSING",
        },
        mentions=[101],
    )


def test_explains_two_messages_that_no_longer_count():
    in_funnel("PROCESSING", age=601, msg_id=101)
    in_funnel("PROCESSING", age=701, msg_id=103)
    check_explanation(
        in_funnel("POSTPONED", age=70, msg_id=102),
        "free_to_go",
        (
            "POSTPONED for 70 s: nothing holds funnel value “777” of f any longer. Messages 103 "
            "and 101 still run, but started more than 10 min ago and no longer count. The hub "
            "picks it up at its next poll, by 2026-11-02 12:01:00 UTC."
        ),
        next={
            "what": "poll",
            "at": "2026-11-02T12:00:00Z",
            "latest": "2026-11-02T12:01:00Z",
            "by": "hub",
            "becomes": "PROCESSING",
        },
        mentions=[103, 101],
    )


def test_explains_a_message_that_blocks_itself():
    check_explanation(
        stored("POSTPONED", msg_id=101, values=("777", "778"), funnel_component_id="f"),
        "postpones_itself",
        (
            "POSTPONED for 60 s: it has 2 funnel values (“777” and “778”), and this hub counts a "
            "message once for each, so it blocks itself at every attempt and can never start. "
            "Cancel it, or remove all its values except one in the hub's database. Only a funnel that "
            "keeps order lets it start."
        ),
        next={"what": "cancel", "by": "operator"},
    )


def test_explains_no_recorded_cause():
    check_explanation(
        stored("POSTPONED", msg_id=101, age=15),
        "postponed_without_cause",
        (
            "POSTPONED for 15 s: it has no funnel value, and the hub did not record why it was "
            "postponed. The hub picks it up at its next poll, by 2026-11-02 12:01:00 UTC."
        ),
        next={"what": "poll", "at": "2026-11-02T12:00:00Z", "latest": "2026-11-02T12:01:00Z", "by": "hub"},
    )


def test_explains_no_recorded_cause_for_long():
    check_explanation(
        stored("POSTPONED", msg_id=101, age=126),
        "postponed_without_cause",
        (
            "POSTPONED for 2 min: it has no funnel value, and the hub did not record why it was "
            "postponed. It has been due for 2 min. The hub polls every 60 s (the hub's default) "
            "while it runs: check that it is running."
        ),
        next={"what": "check_hub", "by": "operator"},
    )


def test_explains_a_late_poll():
    check_explanation(
        in_funnel("POSTPONED", msg_id=101, age=127),
        "retry_overdue",
        (
            "POSTPONED since 2026-11-02 11:57:53 UTC and due for 2 min: nothing blocks it, but "
            "the hub has not picked it up. The hub polls every 60 s (the hub's default) while it "
            "runs: check that it is running."
        ),
        next={"what": "check_hub", "by": "operator", "becomes": "PROCESSING"},
    )
