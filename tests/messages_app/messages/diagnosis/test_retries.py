import pytest

from messages_app.audit import services as audit
from messages_app.shared.message_states import MessageAction
from tests.messages_app.messages.diagnosis.explanations import explanation_of, reason_of, record_change
from tests.messages_app.messages.funnels.rows import ago, in_funnel, ordered, stored
from tests.support.factories import make_external_call

pytestmark = pytest.mark.django_db


class TestExplainRetry:
    def test_says_when_and_how_often_it_is_retried(self):
        explanation = explanation_of(
            stored("PARTLY_FAILED", age=20, failed_count=1, failed_error_code="E103")
        )
        assert explanation.reason == "waits_for_retry"
        assert explanation.next == {
            "what": "poll",
            "at": "2026-11-02T12:00:40Z",
            "latest": "2026-11-02T12:01:40Z",
            "by": "hub",
            "becomes": "PROCESSING",
        }
        assert (
            "1 attempt failed, last with E103 (communication with the target failed)" in explanation.summary
        )
        assert "it has 3 of 4 attempts left" in explanation.summary
        assert "between 2026-11-02 12:00:40 UTC and 2026-11-02 12:01:40 UTC" in explanation.summary

    @pytest.mark.parametrize("failed_count", [3, 4, 9])
    def test_says_that_one_attempt_is_left(self, failed_count):
        explanation = explanation_of(stored("PARTLY_FAILED", failed_count=failed_count))
        assert "one attempt left, and fails permanently if that fails" in explanation.summary

    def test_expects_a_due_message_within_one_poll(self):
        explanation = explanation_of(stored("PARTLY_FAILED", age=100))
        assert (explanation.next["at"], explanation.next["latest"]) == (
            "2026-11-02T12:00:00Z",
            "2026-11-02T12:01:00Z",
        )

    def test_says_that_the_hub_is_late_after_two_polls(self):
        assert reason_of(stored("PARTLY_FAILED", age=180)) == "waits_for_retry"
        late = explanation_of(stored("PARTLY_FAILED", age=181))
        assert (late.reason, late.next["what"], late.next["by"]) == ("retry_overdue", "check_hub", "operator")

    def test_says_that_polls_do_not_find_a_message_without_a_time(self):
        explanation = explanation_of(stored("PARTLY_FAILED", last_process_timestamp=None))
        assert (explanation.reason, explanation.next["what"]) == ("never_picked_up", "cancel")

    def test_is_not_held_by_a_funnel(self):
        in_funnel("PROCESSING")
        assert reason_of(in_funnel("PARTLY_FAILED")) == "waits_for_retry"

    def test_is_held_by_its_order(self):
        head = ordered("FAILED", age=500)
        explanation = explanation_of(ordered("PARTLY_FAILED", age=60))
        assert (explanation.reason, explanation.blocked_by) == ("held_by_failed_order", [head.pk])


class TestRestarted:
    def test_names_who_and_why(self):
        message = stored("PARTLY_FAILED", age=20, failed_count=4)
        record_change(message, "FAILED", "PARTLY_FAILED", actor="ada", age=20)
        audit.record_entry(
            actor=audit.Actor(username="ada"),
            action=MessageAction.RESTART,
            msg_id=message.pk,
            reason="ERP is up again",
        )
        explanation = explanation_of(message)
        assert explanation.reason == "restarted"
        assert (
            "Restarted by ada at 2026-11-02 11:59:40 UTC (“ERP is up again”): it was FAILED."
            in explanation.summary
        )
        assert "it has one attempt left" in explanation.summary
        assert explanation.next["at"] == "2026-11-02T12:00:40Z"

    def test_is_not_reported_after_a_change_by_the_hub(self):
        message = stored("PARTLY_FAILED", age=20)
        record_change(message, "FAILED", "PARTLY_FAILED", actor="ada", age=90)
        record_change(message, "PARTLY_FAILED", "PROCESSING", age=21)
        record_change(message, "PROCESSING", "PARTLY_FAILED", age=20)
        assert reason_of(message) == "waits_for_retry"


class TestStarved:
    def test_is_reported_when_postponed_messages_are_due(self):
        for _ in range(3):
            in_funnel("POSTPONED", age=10)
        explanation = explanation_of(stored("PARTLY_FAILED", age=121))
        assert explanation.reason == "starved_by_postponed"
        assert "3 messages in POSTPONED are due" in explanation.summary
        assert explanation.next["latest"] is None

    def test_is_not_reported_before_the_hub_missed_a_poll(self):
        in_funnel("POSTPONED", age=10)
        assert reason_of(stored("PARTLY_FAILED", age=120)) == "waits_for_retry"

    def test_is_not_reported_before_the_postponed_messages_are_due(self):
        in_funnel("POSTPONED", age=5)
        assert reason_of(stored("PARTLY_FAILED", age=150)) == "waits_for_retry"

    def test_is_not_reported_when_the_hub_does_not_poll(self):
        in_funnel("POSTPONED", age=500)
        assert reason_of(stored("PARTLY_FAILED", age=500)) == "retry_overdue"

    def test_is_not_reported_in_openhub(self, openhub):
        in_funnel("POSTPONED", age=10)
        assert reason_of(stored("PARTLY_FAILED", age=150)) == "waits_for_retry"


class TestBusyCall:
    def test_is_named_after_a_lock_failure(self):
        message = stored("PARTLY_FAILED", failed_count=1, failed_error_code="E112")
        make_external_call(message, operation_name="direct:erp", state="PROCESSING")
        assert "Its call direct:erp is still PROCESSING" in explanation_of(message).summary

    @pytest.mark.parametrize(("state", "code"), [("FAILED", "E112"), ("PROCESSING", "E103")])
    def test_is_not_named_otherwise(self, state, code):
        message = stored("PARTLY_FAILED", failed_count=1, failed_error_code=code)
        make_external_call(message, operation_name="direct:erp", state=state, last_update_timestamp=ago(9))
        assert "direct:erp" not in explanation_of(message).summary
