import pytest
from django.test import override_settings

from messages_app.messages.listing.selecting import choices
from messages_app.messages.states import RULE_SETS
from tests.factories import make_user

pytestmark = pytest.mark.django_db


class TestChoices:
    @pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
    def test_follow_the_hubs_rules(self, rules):
        with override_settings(HUB_RULES=rules.name):
            found = {choice.name: set(choice.states) for choice in choices(make_user("operator"))}
        assert found == {
            "restart": set(rules.restart_from),
            "total": set(rules.restart_from),
            "cancel": set(rules.cancel_from),
        }

    def test_are_none_for_who_may_only_read(self):
        assert list(choices(make_user("support"))) == []
