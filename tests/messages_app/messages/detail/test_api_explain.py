import json

import pytest

from messages_app.messages.diagnosis.explanation import Explanation
from messages_app.messages.diagnosis.reasons import Reason
from tests.support.api_client import caller
from tests.support.factories import make_archived_message, make_message

pytestmark = pytest.mark.django_db


class TestExplainView:
    def test_returns_the_explanation(self):
        message = make_message(state="FAILED", failed_error_code="E102", failed_count=1)
        body = caller("support").get(f"messages/{message.pk}/explain/").json()
        assert set(body) == {"reason", "summary", "blocked_by", "next", "mentions"}
        assert (body["reason"], body["blocked_by"], body["mentions"]) == ("failed_at_once", [], [])
        assert body["next"] == {
            "what": "restart",
            "at": None,
            "latest": None,
            "by": "operator",
            "becomes": None,
        }

    def test_returns_each_value_of_the_explanation(self, monkeypatch: pytest.MonkeyPatch):
        known = Explanation(
            reason=Reason.FAILED_AT_ONCE,
            summary="It failed.",
            blocked_by=[11, 12],
            next={"what": "restart", "at": "2026-11-02T12:00:00Z"},
            mentions=[12, 13],
        )
        monkeypatch.setattr("messages_app.messages.detail.api.explain_by_id", {7: known}.__getitem__)
        assert caller("support").get("messages/7/explain/").json() == {
            "reason": "failed_at_once",
            "summary": "It failed.",
            "blocked_by": [11, 12],
            "next": {"what": "restart", "at": "2026-11-02T12:00:00Z"},
            "mentions": [12, 13],
        }

    def test_explains_an_archived_message(self):
        message = make_archived_message()
        assert caller("support").get(f"messages/{message.pk}/explain/").json()["reason"] == "done"

    @pytest.mark.parametrize("msg_id", ["1", "abc", "9" * 30])
    def test_rejects_any_other_id(self, msg_id):
        assert caller("support").get(f"messages/{msg_id}/explain/").status_code == 404

    def test_rejects_parameters(self):
        message = make_message()
        answer = caller("support").get(f"messages/{message.pk}/explain/?at=now")
        assert answer.status_code == 400

    def test_is_forbidden_without_a_role(self):
        message = make_message()
        assert caller().get(f"messages/{message.pk}/explain/").status_code == 403

    def test_publishes_its_codes(self):
        answer = caller("support").get("schema/", Accept="application/vnd.oai.openapi+json")
        published = json.loads(answer.content)["components"]["schemas"]["ReasonEnum"]
        assert published["enum"] == [str(code) for code in Reason]
