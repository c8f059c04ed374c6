"""Whole explanations of WAITING and WAITING_FOR_RES."""

import pytest

from messages_app.messages.models import Message
from tests.messages_app.messages.diagnosis.explanations import check_explanation, explanation_of, make_child
from tests.messages_app.messages.funnels.rows import ago, stored
from tests.support.factories import make_archived_message, make_external_call

pytestmark = pytest.mark.django_db


def parent(**columns: object) -> Message:
    return stored("WAITING", **({"msg_id": 101, "age": 500} | columns))


def child(msg_id: int, state: str, **columns: object) -> Message:
    of = Message.objects.get(pk=101)
    return make_child(of, state, **({"msg_id": msg_id, "age": 900 - msg_id} | columns))


def test_explains_unfinished_children():
    explained = parent()
    child(201, "PROCESSING")
    child(202, "NEW", binding="SOFT")
    child(203, "WAITING_FOR_RES")
    check_explanation(
        explained,
        "waits_for_children",
        (
            "WAITING for 8 min: 3 children are not finished: HARD child 201 is PROCESSING, HARD "
            "child 203 is WAITING_FOR_RES and SOFT child 202 is NEW. The hub sets it to OK when "
            "all HARD children are OK, and to FAILED when a HARD child fails."
        ),
        next={"what": "children", "by": "hub"},
        blocked_by=[201, 203, 202],
    )


def test_explains_a_child_that_waits_for_a_response():
    explained = parent()
    child(201, "WAITING_FOR_RES")
    child(202, "NEW", binding="SOFT")
    check_explanation(
        explained,
        "waits_for_unanswered_child",
        (
            "WAITING for 8 min: 2 children are not finished: HARD child 201 is WAITING_FOR_RES "
            "and SOFT child 202 is NEW. The hub and this parent wait for the response without a "
            "time limit, unless an operator acts."
        ),
        next={"what": "chase_answer", "by": "operator"},
        blocked_by=[201, 202],
    )


def test_explains_one_child_that_did_not_end_ok():
    explained = parent()
    child(201, "PROCESSING")
    child(202, "FAILED", binding=None)
    check_explanation(
        explained,
        "will_wait_for_ever",
        (
            "WAITING for 8 min: 1 child is not finished, HARD child 201 is PROCESSING; but SOFT "
            "child 202 is FAILED, so this parent will wait forever, even if the "
            "others end OK. Restart 202 and let it end OK before the last HARD child does."
        ),
        next={"what": "restart_blocker", "by": "operator"},
        blocked_by=[202, 201],
    )


def test_explains_two_children_that_did_not_end_ok():
    explained = parent()
    child(201, "PROCESSING")
    child(203, "POSTPONED", binding="SOFT")
    child(202, "FAILED", binding=None)
    child(204, "CANCEL")
    check_explanation(
        explained,
        "will_wait_for_ever",
        (
            "WAITING for 8 min: 2 children are not finished, HARD child 201 is PROCESSING and "
            "SOFT child 203 is POSTPONED; but HARD child 204 is CANCEL and SOFT child 202 is "
            "FAILED, so this parent will wait forever, even if the others end OK. "
            "Restart 204 and 202 and let them end OK before the last HARD child does."
        ),
        next={"what": "restart_blocker", "by": "operator"},
        blocked_by=[204, 202, 201, 203],
    )


def test_explains_cancelled_hard_children():
    explained = parent()
    child(201, "CANCEL")
    child(203, "CANCEL", binding="SOFT")
    child(202, "FAILED")
    child(204, "CANCEL")
    check_explanation(
        explained,
        "waits_for_cancelled_child",
        (
            "WAITING for 8 min: all HARD children have ended, and HARD child 201 is CANCEL and "
            "HARD child 204 is CANCEL, so this parent waits forever. Restart 201 and 204. When "
            "all HARD children are OK, the hub sets the parent to OK."
        ),
        next={"what": "restart_blocker", "by": "operator"},
        blocked_by=[201, 204],
    )


def test_explains_a_failed_hard_child():
    explained = parent()
    child(203, "CANCEL", binding="SOFT")
    child(202, "FAILED")
    child(201, "OK")
    check_explanation(
        explained,
        "waits_for_failed_child",
        (
            "WAITING for 8 min: all HARD children have ended, and HARD child 202 is FAILED, so "
            "this parent waits forever. Restart 202. When all HARD children are OK, the hub sets "
            "the parent to OK."
        ),
        next={"what": "restart_blocker", "by": "operator"},
        blocked_by=[202],
    )


def test_explains_soft_children_that_are_not_ok(openhub):
    explained = parent()
    child(203, "CANCEL", binding="SOFT")
    child(202, "NEW", binding=None)
    child(201, "OK")
    check_explanation(
        explained,
        "waits_for_soft_child",
        (
            "WAITING for 8 min: all HARD children have ended, and SOFT child 202 is NEW and SOFT "
            "child 203 is CANCEL; the hub does not check a parent when a SOFT child ends, so this "
            "parent waits forever. Cancel it. The work of its children is not undone."
        ),
        next={"what": "cancel", "by": "operator"},
        mentions=[202, 203],
    )


def test_explains_no_children():
    check_explanation(
        parent(),
        "waits_without_children",
        (
            "WAITING for 8 min: it has no children, so this parent waits forever. This hub does "
            "not allow a cancel in WAITING: its row must be corrected."
        ),
        next={"what": "correct", "by": "operator"},
    )


def test_explains_only_soft_children():
    explained = parent()
    child(203, "CANCEL", binding="SOFT")
    check_explanation(
        explained,
        "waits_with_only_soft_children",
        (
            "WAITING for 8 min: all its children are SOFT, and the hub does not check a parent "
            "when a SOFT child ends, so this parent waits forever. This hub does not allow a "
            "cancel in WAITING: its row must be corrected."
        ),
        next={"what": "correct", "by": "operator"},
    )


def test_explains_an_archived_soft_child():
    explained = parent()
    child(203, "OK")
    make_archived_message(msg_id=301, parent_msg_id=101, parent_binding_type="SOFT", state="OK")
    check_explanation(
        explained,
        "waits_for_archived_child",
        (
            "WAITING for 8 min: SOFT child 301 is OK and archived while it waited, and all its "
            "children have ended, so this parent waits forever. This hub does not allow a cancel "
            "in WAITING: its row must be corrected."
        ),
        next={"what": "correct", "by": "operator"},
        mentions=[301],
    )


def test_explains_an_archived_hard_child(openhub):
    explained = parent()
    child(203, "OK")
    make_archived_message(msg_id=301, parent_msg_id=101, parent_binding_type="HARD", state="OK")
    check_explanation(
        explained,
        "waits_for_archived_child",
        (
            "WAITING for 8 min: HARD child 301 is OK and archived while it waited, and all its "
            "children have ended, so this parent waits forever. Cancel it. The work of its "
            "children is not undone."
        ),
        next={"what": "cancel", "by": "operator"},
        mentions=[301],
    )


def test_explains_children_that_are_all_ok():
    explained = parent()
    child(203, "OK")
    child(503, "OK")
    check_explanation(
        explained,
        "children_all_ok",
        (
            "WAITING for 8 min: all its children are OK and its last child, 503, ended at "
            "2026-11-02 11:53:23 UTC, but the hub has not checked the parent after that; unless "
            "that was a moment ago, it waits forever. This hub does not allow a cancel in "
            "WAITING: its row must be corrected."
        ),
        next={"what": "correct", "by": "operator"},
        mentions=[503],
    )


def test_explains_a_last_child_with_children_in_cleverbus():
    explained = parent()
    child(203, "OK")
    c = child(503, "OK")
    make_child(c, "OK", msg_id=601)
    check_explanation(
        explained,
        "children_all_ok",
        (
            "WAITING for 8 min: all its children are OK and its last child, 503, ended at "
            "2026-11-02 11:53:23 UTC, but the hub has not checked the parent after that: 503 ended "
            "because of its own children, and then this hub does not check one level higher; unless "
            "that was a moment ago, it waits forever. This hub does not allow a cancel in "
            "WAITING: its row must be corrected."
        ),
        next={"what": "correct", "by": "operator"},
        mentions=[503],
    )


def test_explains_a_last_child_with_children_in_openhub(openhub):
    explained = parent()
    child(203, "OK")
    c = child(503, "OK")
    make_child(c, "OK", msg_id=601)
    check_explanation(
        explained,
        "children_all_ok",
        (
            "WAITING for 8 min: all its children are OK and its last child, 503, ended at "
            "2026-11-02 11:53:23 UTC, but the hub has not checked the parent after that; unless "
            "that was a moment ago, it waits forever. Cancel it. The work of its children is not "
            "undone."
        ),
        next={"what": "cancel", "by": "operator"},
        mentions=[503],
    )


def test_explains_children_that_ended_too_early(openhub):
    explained = parent(age=200)
    child(203, "OK")
    child(503, "OK")
    check_explanation(
        explained,
        "children_ended_too_early",
        (
            "WAITING for 3 min: its last child, 503, ended at 2026-11-02 11:53:23 UTC, before "
            "this parent began to wait, and the hub will not check it again, so this parent waits "
            "forever. Cancel it. The work of its children is not undone."
        ),
        next={"what": "cancel", "by": "operator"},
        mentions=[503],
    )


def test_explains_a_child_without_the_time_of_its_end():
    explained = parent()
    child(203, "OK", last_process_timestamp=None)
    check_explanation(
        explained,
        "children_all_ok",
        (
            "WAITING for 8 min: all its children are OK and its last child, 203, ended some time "
            "ago, but the hub has not checked the parent after that; unless that was a moment "
            "ago, it waits forever. This hub does not allow a cancel in WAITING: its row must be "
            "corrected."
        ),
        next={"what": "correct", "by": "operator"},
        mentions=[203],
    )


def test_explains_the_child_that_ended_last():
    explained = parent()
    child(203, "OK")
    child(204, "OK", last_process_timestamp=None)
    child(205, "OK", binding="SOFT", age=800)
    check_explanation(
        explained,
        "children_all_ok",
        (
            "WAITING for 8 min: all its children are OK and its last child, 203, ended at "
            "2026-11-02 11:48:23 UTC, but the hub has not checked the parent after that; unless "
            "that was a moment ago, it waits forever. This hub does not allow a cancel in "
            "WAITING: its row must be corrected."
        ),
        next={"what": "correct", "by": "operator"},
        mentions=[203],
    )


def test_explains_a_missing_response():
    explained = stored("WAITING_FOR_RES", msg_id=101, age=3600)
    make_external_call(explained, operation_name="direct:erp", state="OK", last_update_timestamp=ago(90))
    check_explanation(
        explained,
        "waits_for_response",
        (
            "WAITING_FOR_RES for 60 min, since 2026-11-02 11:00:00 UTC: it waits for a response "
            "from another system. Its last call, direct:erp, is OK since 2026-11-02 11:58:30 UTC. "
            "It continues when the response arrives. The hub has no time limit for this."
        ),
        next={"what": "answer", "by": "outside"},
    )


def test_explains_an_overdue_response_in_cleverbus():
    check_explanation(
        stored("WAITING_FOR_RES", msg_id=101, age=3601),
        "response_overdue",
        (
            "WAITING_FOR_RES for 60 min, since 2026-11-02 10:59:59 UTC: another system has not "
            "responded for longer than the 60 min after which the hub's alert counts it. The hub "
            "has no time limit for this: have the response sent; this hub does not allow a cancel "
            "in this state."
        ),
        next={"what": "chase_answer", "by": "operator"},
    )


def test_explains_an_overdue_response_in_openhub(openhub):
    check_explanation(
        stored("WAITING_FOR_RES", msg_id=101, age=3601),
        "response_overdue",
        (
            "WAITING_FOR_RES for 60 min, since 2026-11-02 10:59:59 UTC: another system has not "
            "responded for longer than the 60 min after which the hub's alert counts it. The hub "
            "has no time limit for this: have the response sent, or cancel it."
        ),
        next={"what": "chase_answer", "by": "operator"},
    )


@pytest.mark.parametrize(("count", "more"), [(2, False), (3, False), (4, True), (5, True)])
def test_explains_more_children_than_are_read(monkeypatch, count, more):
    for module in ("children", "waiting"):
        monkeypatch.setattr(f"messages_app.messages.diagnosis.{module}.MAX_CHILDREN", 3)
    explained = parent()
    for number in range(count):
        child(201 + number, "PROCESSING")
    number = "more than 3" if more else str(count)
    assert f"WAITING for 8 min: {number} children are not finished: " in explanation_of(explained).summary
    Message.objects.filter(pk__gt=201).update(state="FAILED")
    child(301, "FAILED", binding="SOFT")
    failed = explanation_of(explained)
    assert failed.reason == "will_wait_for_ever"
    assert " and let them end OK" in failed.summary
    assert failed.blocked_by[0] == 202
