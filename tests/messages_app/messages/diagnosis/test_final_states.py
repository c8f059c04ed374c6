import pytest

from messages_app.audit import services as audit
from messages_app.messages import services
from messages_app.messages.models import Message
from tests.messages_app.messages.diagnosis.explanations import explanation_of, reason_of, record_change
from tests.messages_app.messages.funnels.rows import stored
from tests.support.ledgers import restarting_job

pytestmark = pytest.mark.django_db


class TestExplainCancel:
    def test_names_the_operator_and_the_reason(self):
        message = stored("POSTPONED")
        services.cancel_message(
            msg_id=message.pk, actor=audit.Actor(username="ada"), reason="sent twice by the shop"
        )
        explanation = explanation_of(message)
        assert explanation.reason == "cancelled"
        assert "Cancelled by ada at" in explanation.summary
        assert "(“sent twice by the shop”): it was POSTPONED" in explanation.summary
        assert (explanation.next["what"], explanation.next["by"]) == ("nothing", "nobody")

    def test_says_that_no_operator_is_recorded(self):
        assert "did not record who or when" in explanation_of(stored("CANCEL")).summary

    def test_says_that_the_history_does_not_have_a_name(self):
        message = stored("CANCEL")
        record_change(message, "NEW", "CANCEL")
        assert "someone in the hub's own console" in explanation_of(message).summary

    @pytest.mark.parametrize("state", ["PROCESSING", "WAITING", "WAITING_FOR_RES"])
    def test_is_only_a_request_while_the_hub_processes_the_message(self, state):
        message = stored("CANCEL")
        record_change(message, state, "CANCEL", actor="ada", age=300)
        assert reason_of(message) == "cancel_requested"

    def test_is_final_after_five_minutes(self):
        message = stored("CANCEL")
        record_change(message, "PROCESSING", "CANCEL", actor="ada", age=301)
        assert reason_of(message) == "cancelled"

    def test_is_final_if_the_hub_was_not_processing_the_message(self):
        message = stored("CANCEL")
        record_change(message, "POSTPONED", "CANCEL", actor="ada")
        assert reason_of(message) == "cancelled"


class TestOvertakenCancel:
    def test_is_reported_for_an_ok_message(self):
        message = stored("OK")
        record_change(message, "PROCESSING", "CANCEL", actor="ada", age=90)
        record_change(message, "CANCEL", "OK", age=60)
        explanation = explanation_of(message)
        assert explanation.reason == "cancel_overtaken"
        assert (
            "although cancelled by ada at 2026-11-02 11:58:30 UTC when it was PROCESSING"
            in explanation.summary
        )

    def test_is_added_to_another_reason(self):
        message = stored("PARTLY_FAILED")
        record_change(message, "PROCESSING", "CANCEL", actor="ada", age=90)
        record_change(message, "CANCEL", "PARTLY_FAILED", age=60)
        explanation = explanation_of(message)
        assert explanation.reason == "waits_for_retry"
        assert "It was cancelled by ada" in explanation.summary
        assert "the hub continued with it" in explanation.summary

    def test_is_not_reported_when_an_operator_restarted_it(self):
        message = stored("OK")
        record_change(message, "POSTPONED", "CANCEL", actor="ada", age=90)
        record_change(message, "CANCEL", "PARTLY_FAILED", actor="bob", age=80)
        record_change(message, "PARTLY_FAILED", "OK", age=60)
        assert reason_of(message) == "done"

    def test_is_not_reported_when_someone_restarted_it_in_the_hub(self):
        message = stored("OK")
        record_change(message, "POSTPONED", "CANCEL", actor="ada", age=90)
        record_change(message, "CANCEL", "PARTLY_FAILED", age=80)
        record_change(message, "PARTLY_FAILED", "OK", age=60)
        assert reason_of(message) == "done"


class TestExplainOk:
    def test_is_plain(self):
        explanation = explanation_of(stored("OK"))
        assert (explanation.reason, explanation.blocked_by) == ("done", [])
        assert (explanation.next["what"], explanation.next["by"]) == ("nothing", "nobody")

    @pytest.mark.parametrize(
        ("columns", "words"),
        [
            (
                {"failed_count": 2, "failed_error_code": "E103"},
                "2 attempts failed before that; "
                "E103 (communication with the target failed) is from an earlier attempt.",
            ),
            (
                {"failed_error_code": "E103"},
                "An earlier error was E103 (communication with the target failed).",
            ),
        ],
    )
    def test_says_that_an_old_error_is_from_an_earlier_attempt(self, columns, words):
        explanation = explanation_of(stored("OK", **columns))
        assert explanation.reason == "done_after_failures"
        assert explanation.summary == f"OK since 2026-11-02 11:59:00 UTC. {words} No further action."

    def test_says_that_a_parent_waited_for_its_children(self):
        message = stored("OK")
        record_change(message, "WAITING", "OK", age=60)
        assert explanation_of(message).summary == (
            "OK since 2026-11-02 11:59:00 UTC, when all its HARD children were OK. No further action."
        )

    def test_names_the_operator_of_a_restart_and_the_reason(self):
        message = stored("FAILED", failed_count=4)
        services.restart_message(
            msg_id=message.pk, actor=audit.Actor(username="ada"), reason="the gateway is back"
        )
        Message.objects.filter(pk=message.pk).update(state="OK")
        explanation = explanation_of(message)
        assert (
            ", after it was restarted by ada (“the gateway is back”). 4 attempts failed"
            in explanation.summary
        )
        assert explanation.job_id is None

    def test_names_the_job_that_restarted_it(self):
        message = stored("OK", failed_count=4)
        job = restarting_job(message, reason="the gateway is back")
        explanation = explanation_of(message)
        assert (
            f", after job {job.pk}, restarted by ada (“the gateway is back”). 4 attempts"
            in explanation.summary
        )
        assert explanation.job_id == job.pk

    def test_says_that_the_restart_was_from_scratch(self):
        message = stored("OK")
        job = restarting_job(message, options={"total": True}, reason="r")
        assert f"after job {job.pk}, restarted from scratch by ada" in explanation_of(message).summary

    def test_ignores_jobs_that_skipped_it_and_jobs_of_another_kind(self):
        message = stored("OK")
        restarting_job(message, outcome="skipped:state_conflict")
        restarting_job(message, kind="archive")
        assert explanation_of(message).job_id is None

    def test_ignores_a_restart_before_a_cancel(self):
        message = stored("OK")
        restarting_job(message)
        restarting_job(message, kind="cancel", new_state="CANCEL")
        assert explanation_of(message).job_id is None
