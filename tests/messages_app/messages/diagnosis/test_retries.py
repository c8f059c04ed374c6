import pytest

from messages_app.audit import services as audit
from messages_app.shared.message_states import MessageAction
from tests.messages_app.messages.diagnosis.told import changed, reason, told
from tests.messages_app.messages.funnels.rows import ago, in_funnel, ordered, stored
from tests.support.factories import make_external_call

pytestmark = pytest.mark.django_db


class TestExplainRetry:
    def test_says_when_and_how_often_it_is_tried_again(self):
        found = told(stored("PARTLY_FAILED", age=20, failed_count=1, failed_error_code="E103"))
        assert found.reason == "waits_for_retry"
        assert found.next == {
            "what": "poll",
            "at": "2026-11-02T12:00:40Z",
            "latest": "2026-11-02T12:01:40Z",
            "by": "hub",
            "becomes": "PROCESSING",
        }
        assert "1 attempt failed, last with E103 (communication with the target failed)" in found.summary
        assert "it has 3 of 4 attempts left" in found.summary
        assert "between 2026-11-02 12:00:40 UTC and 2026-11-02 12:01:40 UTC" in found.summary

    @pytest.mark.parametrize("failed_count", [3, 4, 9])
    def test_says_that_the_last_attempt_comes(self, failed_count):
        found = told(stored("PARTLY_FAILED", failed_count=failed_count))
        assert "one attempt left, and fails permanently if that fails" in found.summary

    def test_expects_a_due_one_within_a_poll(self):
        found = told(stored("PARTLY_FAILED", age=100))
        assert (found.next["at"], found.next["latest"]) == ("2026-11-02T12:00:00Z", "2026-11-02T12:01:00Z")

    def test_says_that_the_hub_is_late_after_two_polls(self):
        assert reason(stored("PARTLY_FAILED", age=180)) == "waits_for_retry"
        late = told(stored("PARTLY_FAILED", age=181))
        assert (late.reason, late.next["what"], late.next["by"]) == ("retry_overdue", "check_hub", "operator")

    def test_says_that_no_poll_finds_one_without_a_time(self):
        found = told(stored("PARTLY_FAILED", last_process_timestamp=None))
        assert (found.reason, found.next["what"]) == ("never_picked_up", "cancel")

    def test_is_not_held_by_a_funnel(self):
        in_funnel("PROCESSING")
        assert reason(in_funnel("PARTLY_FAILED")) == "waits_for_retry"

    def test_is_held_by_its_order(self):
        head = ordered("FAILED", age=500)
        found = told(ordered("PARTLY_FAILED", age=60))
        assert (found.reason, found.blocked_by) == ("held_by_failed_order", [head.pk])


class TestRestarted:
    def test_names_who_and_why(self):
        message = stored("PARTLY_FAILED", age=20, failed_count=4)
        changed(message, "FAILED", "PARTLY_FAILED", actor="ada", age=20)
        audit.record(
            actor=audit.Actor(username="ada"),
            action=MessageAction.RESTART,
            msg_id=message.pk,
            reason="ERP is up again",
        )
        found = told(message)
        assert found.reason == "restarted"
        assert (
            "Restarted by ada at 2026-11-02 11:59:40 UTC (“ERP is up again”): it was FAILED." in found.summary
        )
        assert "it has one attempt left" in found.summary
        assert found.next["at"] == "2026-11-02T12:00:40Z"

    def test_is_not_reported_when_the_hub_changed_it_since(self):
        message = stored("PARTLY_FAILED", age=20)
        changed(message, "FAILED", "PARTLY_FAILED", actor="ada", age=90)
        changed(message, "PARTLY_FAILED", "PROCESSING", age=21)
        changed(message, "PROCESSING", "PARTLY_FAILED", age=20)
        assert reason(message) == "waits_for_retry"


class TestStarved:
    def test_is_reported_when_postponed_ones_are_due(self):
        for _ in range(3):
            in_funnel("POSTPONED", age=10)
        found = told(stored("PARTLY_FAILED", age=121))
        assert found.reason == "starved_by_postponed"
        assert "3 messages in POSTPONED are due" in found.summary
        assert found.next["latest"] is None

    def test_is_not_reported_before_a_whole_poll_was_missed(self):
        in_funnel("POSTPONED", age=10)
        assert reason(stored("PARTLY_FAILED", age=120)) == "waits_for_retry"

    def test_is_not_reported_when_the_postponed_ones_still_rest(self):
        in_funnel("POSTPONED", age=5)
        assert reason(stored("PARTLY_FAILED", age=150)) == "waits_for_retry"

    def test_is_not_reported_when_the_hub_checks_none(self):
        in_funnel("POSTPONED", age=500)
        assert reason(stored("PARTLY_FAILED", age=500)) == "retry_overdue"

    def test_is_not_reported_in_openhub(self, openhub):
        in_funnel("POSTPONED", age=10)
        assert reason(stored("PARTLY_FAILED", age=150)) == "waits_for_retry"


class TestBusyCall:
    def test_is_named_after_a_lock_failure(self):
        message = stored("PARTLY_FAILED", failed_count=1, failed_error_code="E112")
        make_external_call(message, operation_name="direct:erp", state="PROCESSING")
        assert "Its call direct:erp is still PROCESSING" in told(message).summary

    @pytest.mark.parametrize(("state", "code"), [("FAILED", "E112"), ("PROCESSING", "E103")])
    def test_is_not_named_otherwise(self, state, code):
        message = stored("PARTLY_FAILED", failed_count=1, failed_error_code=code)
        make_external_call(message, operation_name="direct:erp", state=state, last_update_timestamp=ago(9))
        assert "direct:erp" not in told(message).summary
