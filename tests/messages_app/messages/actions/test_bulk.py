import pytest

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.messages.actions.bulk import Target, act_on_targets, plan_actions
from messages_app.messages.available_actions import ACTIONS, ActionSpec
from messages_app.messages.models import ExternalCall, Message, ResentMessage
from tests.support.factories import make_archived_message, make_external_call, make_message

pytestmark = pytest.mark.django_db

RESTART, FROM_SCRATCH, CANCEL = ACTIONS["restart"], ACTIONS["total"], ACTIONS["cancel"]


def outcomes_of(targets: list[Target], spec: ActionSpec = RESTART, **options: object) -> list[tuple]:
    arguments = {"actor": Actor(username="ada"), "reason": "the gateway is back"} | options
    outcomes = act_on_targets(targets, spec, **arguments)
    return [(outcome.msg_id, str(outcome.result), outcome.state) for outcome in outcomes]


class TestPlan:
    def test_reports_for_each_message_whether_the_action_is_possible(self):
        failed, ok, archived = make_message(state="FAILED"), make_message(state="OK"), make_archived_message()
        planned = plan_actions([failed.pk, ok.pk, archived.pk, 999_999], RESTART)
        assert [bool(each.why_not) for each in planned.candidates] == [False, True, True, True]
        assert planned.targets == [Target(failed.pk, "FAILED")]
        assert planned.refused == 3
        assert dict(planned.states) == {"FAILED": 1, "OK": 2}
        assert planned.candidates[3].message is None

    @pytest.mark.parametrize("spec", [RESTART, FROM_SCRATCH])
    def test_leaves_out_a_message_that_was_corrected_and_resent(self, spec):
        failed, original = make_message(state="FAILED"), make_message(state="CANCEL")
        ResentMessage.objects.create(original_id=original.pk, msg_id=77)
        planned = plan_actions([failed.pk, original.pk], spec)
        assert planned.targets == [Target(failed.pk, "FAILED")]
        assert planned.candidates[1].why_not == (
            "It was corrected and resent as message 77: restart it on its own page."
        )
        assert outcomes_of([Target(original.pk, "CANCEL")], spec) == [(original.pk, "refused", "CANCEL")]

    def test_cancels_a_message_that_was_corrected_and_resent(self):
        original = make_message(state="POSTPONED")
        ResentMessage.objects.create(original_id=original.pk, msg_id=77)
        assert plan_actions([original.pk], CANCEL).targets == [Target(original.pk, "POSTPONED")]
        assert outcomes_of([Target(original.pk, "POSTPONED")], CANCEL) == [(original.pk, "done", "CANCEL")]

    def test_counts_the_calls_that_are_sent_again_by_operation(self):
        for _ in range(2):
            message = make_message(state="FAILED")
            make_external_call(message, operation_name="direct:a", state="OK")
            make_external_call(message, operation_name="direct:b", state="FAILED")
        ids = list(Message.objects.values_list("pk", flat=True))
        assert plan_actions(ids, RESTART).calls == [("direct:b", 2, 0)]
        total = plan_actions(ids, FROM_SCRATCH)
        assert sorted(total.calls) == [("direct:a", 2, 2), ("direct:b", 2, 0)]
        assert total.repeated == 2
        assert plan_actions(ids, CANCEL).calls == []

    def test_ignores_the_calls_of_messages_that_cannot_be_restarted(self):
        make_external_call(message := make_message(state="OK"), state="FAILED")
        assert plan_actions([message.pk], RESTART).calls == []

    def test_reads_all_messages_together(self, django_assert_max_num_queries):
        ids = [make_message(state="FAILED").pk for _ in range(30)]
        with django_assert_max_num_queries(4):
            plan_actions([*ids, 999_999], FROM_SCRATCH)


class TestAct:
    def test_acts_on_each_message_and_records_it(self):
        first, second = make_message(state="FAILED"), make_message(state="CANCEL")
        targets = [Target(first.pk, "FAILED"), Target(second.pk, "CANCEL")]
        assert outcomes_of(targets) == [
            (first.pk, "done", "PARTLY_FAILED"),
            (second.pk, "done", "PARTLY_FAILED"),
        ]
        assert AuditEntry.objects.filter(outcome="done", reason="the gateway is back").count() == 2

    def test_skips_a_message_whose_state_has_changed(self):
        moved, still = make_message(state="OK"), make_message(state="FAILED")
        targets = [Target(moved.pk, "FAILED"), Target(still.pk, "FAILED")]
        assert outcomes_of(targets) == [(moved.pk, "refused", "OK"), (still.pk, "done", "PARTLY_FAILED")]

    def test_changes_nothing_the_second_time(self):
        message = make_message(state="FAILED")
        make_external_call(message)
        targets = [Target(message.pk, "FAILED")]
        outcomes_of(targets, FROM_SCRATCH)
        before = Message.objects.get(pk=message.pk).last_process_timestamp
        make_external_call(message)
        assert outcomes_of(targets, FROM_SCRATCH) == [(message.pk, "refused", "PARTLY_FAILED")]
        assert Message.objects.get(pk=message.pk).last_process_timestamp == before
        assert ExternalCall.objects.count() == 1

    def test_cancels_the_named_messages(self):
        message = make_message(state="POSTPONED")
        assert outcomes_of([Target(message.pk, "POSTPONED")], CANCEL) == [(message.pk, "done", "CANCEL")]

    def test_continues_after_a_missing_message(self):
        message = make_message(state="FAILED")
        targets = [Target(999_999, "FAILED"), Target(message.pk, "FAILED")]
        assert [result for _, result, _ in outcomes_of(targets)] == ["refused", "done"]

    def test_skips_the_rest_after_the_time_limit(self):
        message = make_message(state="FAILED")
        assert outcomes_of([Target(message.pk, "FAILED")], seconds=-1) == [(message.pk, "refused", "FAILED")]
        assert Message.objects.get(pk=message.pk).state == "FAILED"
