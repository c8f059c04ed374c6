import pytest

from messages_app.audit import services as audit
from messages_app.messages import services
from messages_app.messages.models import Message
from tests.messages_app.messages.diagnosis.told import changed, reason, told
from tests.messages_app.messages.funnels.rows import stored
from tests.support.ledgers import restarting_job

pytestmark = pytest.mark.django_db


class TestExplainCancel:
    def test_names_the_operator_and_the_reason(self):
        message = stored("POSTPONED")
        services.cancel_message(
            msg_id=message.pk, actor=audit.Actor(username="ada"), reason="sent twice by the shop"
        )
        found = told(message)
        assert found.reason == "cancelled"
        assert "Cancelled by ada at" in found.summary
        assert "(“sent twice by the shop”): it was POSTPONED" in found.summary
        assert (found.next["what"], found.next["by"]) == ("nothing", "nobody")

    def test_says_that_no_one_is_known(self):
        assert "did not record who or when" in told(stored("CANCEL")).summary

    def test_says_that_the_history_names_no_one(self):
        message = stored("CANCEL")
        changed(message, "NEW", "CANCEL")
        assert "someone in the hub's own console" in told(message).summary

    @pytest.mark.parametrize("state", ["PROCESSING", "WAITING", "WAITING_FOR_RES"])
    def test_is_only_a_request_while_the_hub_is_at_work(self, state):
        message = stored("CANCEL")
        changed(message, state, "CANCEL", actor="ada", age=300)
        assert reason(message) == "cancel_requested"

    def test_is_firm_later(self):
        message = stored("CANCEL")
        changed(message, "PROCESSING", "CANCEL", actor="ada", age=301)
        assert reason(message) == "cancelled"

    def test_is_firm_out_of_a_state_of_rest(self):
        message = stored("CANCEL")
        changed(message, "POSTPONED", "CANCEL", actor="ada")
        assert reason(message) == "cancelled"


class TestOvertakenCancel:
    def test_is_reported_for_an_ok_message(self):
        message = stored("OK")
        changed(message, "PROCESSING", "CANCEL", actor="ada", age=90)
        changed(message, "CANCEL", "OK", age=60)
        found = told(message)
        assert found.reason == "cancel_overtaken"
        assert "although cancelled by ada at 2026-11-02 11:58:30 UTC when it was PROCESSING" in found.summary

    def test_is_added_where_the_reason_is_another(self):
        message = stored("PARTLY_FAILED")
        changed(message, "PROCESSING", "CANCEL", actor="ada", age=90)
        changed(message, "CANCEL", "PARTLY_FAILED", age=60)
        found = told(message)
        assert found.reason == "waits_for_retry"
        assert "It was cancelled by ada" in found.summary
        assert "the hub continued with it" in found.summary

    def test_is_not_reported_when_an_operator_restarted_it(self):
        message = stored("OK")
        changed(message, "POSTPONED", "CANCEL", actor="ada", age=90)
        changed(message, "CANCEL", "PARTLY_FAILED", actor="bob", age=80)
        changed(message, "PARTLY_FAILED", "OK", age=60)
        assert reason(message) == "done"

    def test_is_not_reported_when_someone_restarted_it_in_the_hub(self):
        message = stored("OK")
        changed(message, "POSTPONED", "CANCEL", actor="ada", age=90)
        changed(message, "CANCEL", "PARTLY_FAILED", age=80)
        changed(message, "PARTLY_FAILED", "OK", age=60)
        assert reason(message) == "done"


class TestExplainOk:
    def test_is_plain(self):
        found = told(stored("OK"))
        assert (found.reason, found.blocked_by) == ("done", [])
        assert (found.next["what"], found.next["by"]) == ("nothing", "nobody")

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
    def test_calls_an_old_error_an_earlier_one(self, columns, words):
        found = told(stored("OK", **columns))
        assert found.reason == "done_after_failures"
        assert found.summary == f"OK since 2026-11-02 11:59:00 UTC. {words} No further action."

    def test_names_who_restarted_it_and_why(self):
        message = stored("FAILED", failed_count=4)
        services.restart_message(
            msg_id=message.pk, actor=audit.Actor(username="ada"), reason="the gateway is back"
        )
        Message.objects.filter(pk=message.pk).update(state="OK")
        found = told(message)
        assert ", after it was restarted by ada (“the gateway is back”). 4 attempts failed" in found.summary
        assert found.job_id is None

    def test_names_the_job_that_restarted_it(self):
        message = stored("OK", failed_count=4)
        job = restarting_job(message, reason="the gateway is back")
        found = told(message)
        assert f", after job {job.pk}, restarted by ada (“the gateway is back”). 4 attempts" in found.summary
        assert found.job_id == job.pk

    def test_says_that_the_restart_was_from_scratch(self):
        message = stored("OK")
        job = restarting_job(message, options={"total": True}, reason="r")
        assert f"after job {job.pk}, restarted from scratch by ada" in told(message).summary

    def test_names_no_job_that_skipped_it_and_none_of_another_kind(self):
        message = stored("OK")
        restarting_job(message, outcome="skipped:state_conflict")
        restarting_job(message, kind="archive")
        assert told(message).job_id is None

    def test_names_no_restart_that_a_cancel_followed(self):
        message = stored("OK")
        restarting_job(message)
        restarting_job(message, kind="cancel", new_state="CANCEL")
        assert told(message).job_id is None
