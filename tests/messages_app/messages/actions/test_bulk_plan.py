"""Plans and outcomes of an action on several messages, compared as a whole."""

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.messages.actions import bulk
from messages_app.messages.actions.bulk import Outcome, Result, Target, act_on_targets, plan_actions
from messages_app.messages.available_actions import ACTIONS
from messages_app.messages.models import Message
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.factories import make_archived_message, make_external_call, make_message

pytestmark = pytest.mark.django_db

RESTART, FROM_SCRATCH, CANCEL = ACTIONS["restart"], ACTIONS["total"], ACTIONS["cancel"]


class TestPlan:
    def test_keeps_the_order_of_the_selection(self):
        make_message(msg_id=8001, state="FAILED")
        make_message(msg_id=8002, state="OK")
        make_message(msg_id=8003, state="CANCEL")
        make_message(msg_id=8004, state="FAILED")
        make_archived_message(msg_id=8005, state="FAILED")
        planned = plan_actions([8004, 8002, 8999, 8005, 8001, 8003], RESTART)
        assert [each.msg_id for each in planned.candidates] == [8004, 8002, 8999, 8005, 8001, 8003]
        assert planned.targets == [Target(8004, "FAILED"), Target(8001, "FAILED"), Target(8003, "CANCEL")]
        assert (planned.states[0], planned.refused) == (("FAILED", 3), 3)
        assert sorted(planned.states) == [("CANCEL", 1), ("FAILED", 3), ("OK", 1)]
        assert planned.candidates[2].why_not == "There is no message with this id."

    def test_counts_calls_by_operation_most_frequent_first(self):
        ids = [make_message(state="FAILED").pk for _ in range(3)]
        for number, msg_id in enumerate(ids):
            message = Message.objects.get(pk=msg_id)
            make_external_call(message, operation_name="direct:three", state="OK" if number < 2 else "FAILED")
            if number:
                make_external_call(message, operation_name="direct:two", state="FAILED")
        make_external_call(message, operation_name="direct:one", state="OK")
        make_external_call(make_message(state="FAILED"), operation_name="direct:other", state="FAILED")
        total = plan_actions(ids, FROM_SCRATCH)
        assert total.calls == [("direct:three", 3, 2), ("direct:two", 2, 0), ("direct:one", 1, 1)]
        assert (total.repeated, total.calls_more) == (3, False)
        again = plan_actions(ids, RESTART)
        assert (again.calls, again.repeated) == ([("direct:two", 2, 0), ("direct:three", 1, 0)], 0)

    @pytest.mark.parametrize(("read", "more", "count"), [(2, True, 2), (3, False, 3), (4, False, 3)])
    def test_says_whether_there_are_more_calls_than_were_read(self, monkeypatch, read, more, count):
        monkeypatch.setattr(bulk, "_CALLS_READ", read)
        message = make_message(state="FAILED")
        for number in range(3):
            make_external_call(message, operation_name="direct:a", entity_id=f"e{number}", state="FAILED")
        planned = plan_actions([message.pk], RESTART)
        assert (planned.calls, planned.calls_more) == ([("direct:a", count, 0)], more)


class TestAct:
    def test_returns_whole_outcomes_and_records_them(self):
        make_message(msg_id=8001, state="FAILED")
        make_message(msg_id=8002, state="OK")
        make_message(msg_id=8003, state="POSTPONED")
        targets = [Target(8001, "FAILED"), Target(8002, "FAILED"), Target(8999, "FAILED")]
        outcomes = list(act_on_targets(targets, RESTART, actor=GRACE, reason="the gateway is back"))
        assert outcomes[0] == Outcome(msg_id=8001, result=Result.DONE, state="PARTLY_FAILED", why="")
        assert [(each.msg_id, each.result, each.state, bool(each.why)) for each in outcomes[1:]] == [
            (8002, Result.REFUSED, "OK", True),
            (8999, Result.REFUSED, "", True),
        ]
        assert list(Message.objects.order_by("msg_id").values_list("msg_id", "state")) == [
            (8001, "PARTLY_FAILED"),
            (8002, "OK"),
            (8003, "POSTPONED"),
        ]
        done = AuditEntry.objects.get(outcome="done")
        row = audit_rows("restart")[0]
        expected = {"msg_id": 8001, "before_state": "FAILED", "after_state": "PARTLY_FAILED"}
        assert row == by_grace("restart", reason="the gateway is back", details=done.details, **expected)

    def test_names_why_the_rest_was_skipped(self):
        make_message(msg_id=8001, state="FAILED")
        (outcome,) = act_on_targets([Target(8001, "FAILED")], RESTART, actor=GRACE, reason="r", seconds=-1)
        assert outcome == Outcome(
            msg_id=8001,
            result=Result.REFUSED,
            state="FAILED",
            why="Skipped because the others took too long. Try again.",
        )
        assert not AuditEntry.objects.exists()
