import pytest
from django.test import override_settings

from messages_app.messages.available_actions import (
    ACTIONS,
    action_choices,
    choices_of,
    may_act,
    offered_actions,
    spec_of,
    why_not,
)
from messages_app.messages.filters.message_filter import MessageFilter
from messages_app.shared.message_states import MessageAction
from tests.support.factories import make_user
from tests.support.rule_table import ALLOWED

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


class TestChoices:
    @pytest.mark.parametrize("hub", ["cleverbus", "openhub"])
    def test_follow_the_hubs_rules(self, hub):
        with override_settings(HUB_RULES=hub):
            found = {choice.name: set(choice.states) for choice in action_choices(make_user("operator"))}
        assert found == {
            "restart": ALLOWED[hub, "restart"],
            "total": ALLOWED[hub, "restart"],
            "cancel": ALLOWED[hub, "cancel"],
        }

    def test_have_the_words_and_icons_of_their_actions(self):
        offered = [*choices_of(MessageFilter({"archived": "any"}), make_user("admin"))]
        assert [(each.name, each.label, each.icon, each.of_archive, each.most) for each in offered] == [
            ("restart", "Restart", "restart", False, 500),
            ("total", "Restart from scratch", "restart", False, 500),
            ("cancel", "Cancel", "cancel", False, 500),
            ("restore", "Restore", "undo", True, 150),
        ]

    def test_are_empty_for_users_who_may_only_read(self):
        assert list(action_choices(make_user("support"))) == []


class TestChoicesOf:
    @pytest.mark.parametrize(
        ("role", "archived", "names"),
        [
            ("admin", None, ["restart", "total", "cancel"]),
            ("admin", True, ["restore"]),
            ("admin", "any", ["restart", "total", "cancel", "restore"]),
            ("operator", True, []),
            ("operator", "any", ["restart", "total", "cancel"]),
            ("support", True, []),
        ],
    )
    def test_offer_to_restore_archived_messages(self, role, archived, names):
        filters = MessageFilter({"archived": archived} if archived else {})
        assert [choice.name for choice in choices_of(filters, make_user(role))] == names
