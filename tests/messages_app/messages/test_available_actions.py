import pytest

from messages_app.messages.available_actions import ACTIONS, may_act, offered_actions, spec_of, why_not
from messages_app.shared.message_states import MessageAction
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


class TestSpecOf:
    def test_finds_each_action_by_what_it_does(self):
        for spec in ACTIONS.values():
            assert spec_of(spec.action, total=spec.total) is spec

    def test_has_only_one_cancel(self):
        assert spec_of(MessageAction.CANCEL, total=True) is ACTIONS["cancel"]


class TestMayAct:
    def test_requires_the_permission_for_the_action(self):
        assert may_act(make_user("operator"), MessageAction.CANCEL)
        assert not may_act(make_user("support", username="bob"), MessageAction.CANCEL)


class TestOfferedActions:
    def test_depends_on_state_place_and_permissions(self):
        operator, support = make_user("operator"), make_user("support", username="bob")
        assert offered_actions(operator, state="FAILED", archived=False) == ["restart"]
        assert offered_actions(operator, state="POSTPONED", archived=False) == ["cancel"]
        assert offered_actions(operator, state="ODD", archived=False) == []
        assert offered_actions(operator, state="FAILED", archived=True) == []
        assert offered_actions(support, state="FAILED", archived=False) == []


class TestWhyNot:
    def test_gives_the_reason_for_a_refusal(self, settings):
        assert why_not(MessageAction.RESTART, "FAILED", False) == ""
        assert "archive" in why_not(MessageAction.RESTART, "FAILED", True)
        assert "only from CANCEL, FAILED" in why_not(MessageAction.RESTART, "OK", False)
        settings.HUB_RULES = "openhub"
        assert why_not(MessageAction.RESTART, "OK", False) == ""
