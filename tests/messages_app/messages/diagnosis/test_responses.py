import pytest

from tests.messages_app.messages.diagnosis.explanations import explanation_of, reason_of
from tests.messages_app.messages.funnels.rows import ago, stored
from tests.support.factories import make_external_call, make_request

pytestmark = pytest.mark.django_db


class TestExplainResponse:
    def test_names_the_start_of_the_wait_and_the_other_system(self):
        message = stored("WAITING_FOR_RES", age=120)
        make_request(message, uri="http://old.example", req_timestamp=ago(130))
        make_request(message, uri="http://erp.example", req_timestamp=ago(121))
        explanation = explanation_of(message)
        assert explanation.reason == "waits_for_response"
        assert "WAITING_FOR_RES for 2 min, since 2026-11-02 11:58:00 UTC" in explanation.summary
        assert "Its last request went to http://erp.example at 2026-11-02 11:57:59 UTC" in explanation.summary
        assert (explanation.next["what"], explanation.next["by"]) == ("answer", "outside")

    def test_names_the_last_call_if_requests_are_not_kept(self):
        message = stored("WAITING_FOR_RES", age=120)
        make_external_call(message, operation_name="direct:old")
        make_external_call(message, operation_name="direct:erp")
        assert "Its last call, direct:erp, is OK" in explanation_of(message).summary

    def test_is_overdue_after_an_hour(self):
        assert reason_of(stored("WAITING_FOR_RES", age=3600)) == "waits_for_response"
        late = explanation_of(stored("WAITING_FOR_RES", age=3601))
        assert (late.reason, late.next["what"], late.next["by"]) == (
            "response_overdue",
            "chase_answer",
            "operator",
        )

    def test_says_whether_it_may_be_cancelled(self, settings):
        message = stored("WAITING_FOR_RES", age=4000)
        assert "does not allow a cancel in this state" in explanation_of(message).summary
        settings.HUB_RULES = "openhub"
        assert "or cancel it" in explanation_of(message).summary
