import pytest
from django.test import override_settings

from messages_app.messages.filters.message_filter import MessageFilter
from messages_app.messages.listing.selection import action_choices, choices_of
from tests.support.factories import make_user
from tests.support.rule_table import ALLOWED

pytestmark = pytest.mark.django_db


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
            ("restore", "Restore", "up", True, 150),
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
