"""Whole explanations of FAILED."""

import pytest

from messages_app.messages.models import Message
from tests.messages_app.messages.diagnosis.explanations import check_explanation, explanation_of, make_child
from tests.messages_app.messages.funnels.rows import ordered, stored
from tests.support.factories import make_archived_message

pytestmark = pytest.mark.django_db

ERROR = {"failed_error_code": "E103", "failed_count": 4}


def parent(**columns: object) -> Message:
    return stored("FAILED", **({"msg_id": 101, "age": 50} | ERROR | columns))


def child(of: Message, msg_id: int, state: str = "FAILED", **columns: object) -> Message:
    return make_child(of, state, **({"msg_id": msg_id, "age": 900 - msg_id} | ERROR | columns))


def test_explains_a_failed_child():
    explained = parent()
    child(explained, 201)
    check_explanation(
        explained,
        "failed_by_child",
        (
            "FAILED at 2026-11-02 11:59:10 UTC because HARD child 201 FAILED with E103 "
            "(communication with the target failed). Restart 201. When it and all other children "
            "are OK, the hub sets this parent to OK."
        ),
        next={"what": "restart_blocker", "by": "operator"},
        blocked_by=[201],
    )


def test_explains_a_failed_child_in_the_archive():
    explained = parent()
    make_archived_message(msg_id=202, parent_msg_id=101, parent_binding_type="HARD", state="FAILED", **ERROR)
    check_explanation(
        explained,
        "failed_by_child",
        (
            "FAILED at 2026-11-02 11:59:10 UTC because HARD child 202 FAILED with E103 "
            "(communication with the target failed). Restore 202 from the archive, then restart "
            "it."
        ),
        next={"what": "restore_blocker", "by": "operator"},
        blocked_by=[202],
    )


def test_explains_a_failed_child_next_to_children_with_other_errors():
    explained = parent()
    child(explained, 201, failed_error_code="E102")
    child(explained, 202, failed_count=3)
    child(explained, 203)
    child(explained, 204)
    check_explanation(
        explained,
        "failed_by_child",
        "FAILED at 2026-11-02 11:59:10 UTC because HARD child 203 FAILED with E103 (communication with the "
        "target failed); 1 other HARD child also FAILED. Restart 203. When it and all other children are OK, "
        "the hub sets this parent to OK.",
        next={"what": "restart_blocker", "by": "operator"},
        blocked_by=[203],
    )


def test_explains_a_child_that_failed_because_of_its_own_child():
    explained = parent()
    middle = child(explained, 201)
    child(middle, 301, failed_error_code="E102")
    child(child(middle, 302), 401)
    check_explanation(
        explained,
        "failed_by_child",
        "FAILED at 2026-11-02 11:59:10 UTC because HARD child 401 FAILED with E103 (communication with the "
        "target failed), through its child 201. Restart 401. When it and all other children are OK, the hub "
        "sets this parent to OK.",
        next={"what": "restart_blocker", "by": "operator"},
        blocked_by=[401],
        mentions=[401, 201],
    )


@pytest.mark.parametrize(
    ("count", "others"),
    [(3, "2 other HARD children"), (4, "at least 3 other HARD children"), (5, "at least")],
)
def test_explains_more_failed_children_than_are_read(monkeypatch, count, others):
    for module in ("children", "failed"):
        monkeypatch.setattr(f"messages_app.messages.diagnosis.{module}.MAX_CHILDREN", 3)
    explained = parent()
    for number in range(count):
        child(explained, 201 + number)
    assert f"; {others}" in explanation_of(explained).summary


def test_explains_a_child_that_failed_and_waits_again():
    explained = parent()
    child(explained, 201, "OK", failed_error_code=None)
    child(explained, 202, "OK", failed_error_code="E102")
    child(explained, 203, "WAITING")
    check_explanation(
        explained,
        "failed_by_child",
        (
            "FAILED at 2026-11-02 11:59:10 UTC because HARD child 203 had FAILED with E103 "
            "(communication with the target failed); that child is WAITING now. Wait for 203 to "
            "finish."
        ),
        next={"what": "children", "by": "hub"},
        blocked_by=[203],
    )


def test_explains_a_child_that_failed_and_waits_again_in_openhub(openhub):
    explained = parent()
    child(explained, 203, "WAITING")
    check_explanation(
        explained,
        "failed_by_child",
        (
            "FAILED at 2026-11-02 11:59:10 UTC because HARD child 203 had FAILED with E103 "
            "(communication with the target failed); that child is WAITING now. Wait for 203 to "
            "finish, then restart this parent."
        ),
        next={"what": "children", "by": "hub"},
        blocked_by=[203],
    )


def test_explains_a_child_that_failed_and_is_ok_in_openhub(openhub):
    explained = parent()
    child(explained, 203, "OK")
    check_explanation(
        explained,
        "failed_by_child",
        (
            "FAILED at 2026-11-02 11:59:10 UTC because HARD child 203 had FAILED with E103 "
            "(communication with the target failed); that child is OK now. This parent did not "
            "become OK with it: restart it."
        ),
        next={"what": "restart", "by": "operator"},
        mentions=[203],
    )


def test_explains_a_child_that_failed_and_is_ok():
    explained = parent()
    child(explained, 203, "OK")
    check_explanation(
        explained,
        "failed_by_child",
        (
            "FAILED at 2026-11-02 11:59:10 UTC because HARD child 203 had FAILED with E103 "
            "(communication with the target failed); that child is OK now. This parent did not "
            "become OK with it: restart it."
        ),
        next={"what": "restart", "by": "operator"},
        mentions=[203],
    )


def test_a_cycle_does_not_name_the_message_itself():
    explained = parent()
    a = child(explained, 201)
    child(a, 202)
    Message.objects.filter(pk=101).update(parent_msg_id=202, parent_binding_type="HARD")
    check_explanation(
        explained,
        "failed_by_child",
        (
            "FAILED at 2026-11-02 11:59:10 UTC because HARD child 202 FAILED with E103 "
            "(communication with the target failed), through its child 201. Restart 202. When it "
            "and all other children are OK, the hub sets this parent to OK."
        ),
        next={"what": "restart_blocker", "by": "operator"},
        blocked_by=[202],
        mentions=[202, 201],
    )


def test_explains_a_repair_that_gave_up():
    check_explanation(
        parent(failed_error_code="E116", failed_count=2),
        "failed_after_repair",
        (
            "FAILED with E116 (stuck in PROCESSING) at 2026-11-02 11:59:10 UTC: it was stuck in "
            "PROCESSING after 1 counted failure, and the hub's repair gave up. The hub will not "
            "retry it. A restart gives it exactly one more attempt, because the count continues."
        ),
        next={"what": "restart", "by": "operator"},
    )


def test_explains_the_first_message_of_an_order():
    ordered("POSTPONED", age=90, msg_id=102)
    ordered("POSTPONED", age=80, msg_id=103, value="9")
    check_explanation(
        ordered("FAILED", age=100, msg_id=101, **ERROR),
        "failed_after_tries",
        (
            "FAILED with E103 (communication with the target failed) at 2026-11-02 11:58:20 UTC: "
            "all 4 attempts failed. The hub will not retry it. A restart gives it exactly one "
            "more attempt, because the count continues. Its order is guaranteed: 1 later message "
            "with the same value cannot start until it is finished."
        ),
        next={"what": "restart", "by": "operator"},
    )


def test_explains_a_message_within_an_order():
    ordered("WAITING", age=190, msg_id=102)
    ordered("POSTPONED", age=80, msg_id=103)
    check_explanation(
        ordered("FAILED", age=100, msg_id=101, **ERROR),
        "failed_after_tries",
        (
            "FAILED with E103 (communication with the target failed) at 2026-11-02 11:58:20 UTC: "
            "all 4 attempts failed. The hub will not retry it. A restart gives it exactly one "
            "more attempt, because the count continues."
        ),
        next={"what": "restart", "by": "operator"},
    )


def test_explains_an_archived_message():
    check_explanation(
        make_archived_message(msg_id=101, state="FAILED", **ERROR),
        "failed_after_tries",
        (
            "FAILED with E103 (communication with the target failed) at 2026-11-01 12:01:41 UTC: "
            "all 4 attempts failed. The hub will not retry it. A restart gives it exactly one "
            "more attempt, because the count continues. It is in the archive: restore it first."
        ),
        next={"what": "restore", "by": "operator"},
    )
