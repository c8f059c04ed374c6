"""The rules of restart and cancel, against hand-written tables of the specification."""

import pytest

from messages_app.shared.message_states import (
    BYGONE_STATES,
    FAILURE_STATES,
    FINAL_STATES,
    HUB_OWNED_STATES,
    RULE_SETS,
    STATE_MEANINGS,
    UNDER_WAY_STATES,
    MessageAction,
    MessageState,
)

# For each state: the sets that it is in.
SETS = {
    "NEW": {"active"},
    "IN_QUEUE": {"active"},
    "PROCESSING": {"active", "owned by the hub"},
    "WAITING": {"active", "owned by the hub"},
    "WAITING_FOR_RES": {"active", "owned by the hub"},
    "PARTLY_FAILED": {"failure"},
    "POSTPONED": set(),
    "OK": {"final", "bygone"},
    "FAILED": {"final", "failure"},
    "CANCEL": {"final", "bygone"},
}
# For each state: the actions of an operator in CleverBus and in OpenHub.
ACTIONS = {
    "NEW": ("cancel", "cancel"),
    "IN_QUEUE": ("", "cancel"),
    "PROCESSING": ("", "cancel"),
    "WAITING": ("", "cancel"),
    "WAITING_FOR_RES": ("", "cancel"),
    "PARTLY_FAILED": ("cancel", "cancel"),
    "POSTPONED": ("cancel", "cancel"),
    "OK": ("", "restart"),
    "FAILED": ("restart", "restart"),
    "CANCEL": ("restart", "restart"),
    "UNHEARD_OF": ("", ""),
    "": ("", ""),
}
HUBS_OWN = {"PROCESSING", "WAITING", "WAITING_FOR_RES"}
QUEUED = {"NEW", "IN_QUEUE"}


class TestSetsOfStates:
    def test_have_each_state_where_it_belongs(self):
        members = {
            "final": FINAL_STATES,
            "bygone": BYGONE_STATES,
            "failure": FAILURE_STATES,
            "active": UNDER_WAY_STATES,
            "owned by the hub": HUB_OWNED_STATES,
        }
        told = {
            str(state): {name for name, states in members.items() if state in states}
            for state in MessageState
        }
        assert told == SETS

    def test_have_a_meaning_for_each_state(self):
        assert STATE_MEANINGS == {
            "NEW": "stored, not picked up yet",
            "IN_QUEUE": "reserved by a hub node",
            "PROCESSING": "being processed by the hub",
            "WAITING": "waiting for its children",
            "WAITING_FOR_RES": "waiting for a response from an external system",
            "PARTLY_FAILED": "failed, will be retried",
            "POSTPONED": "postponed for another message, will be retried",
            "OK": "processed",
            "FAILED": "failed, will not be retried",
            "CANCEL": "cancelled, will not be retried",
        }


class TestRuleSet:
    @pytest.mark.parametrize(("position", "name"), [(0, "cleverbus"), (1, "openhub")])
    def test_allows_in_each_state_only_the_actions_of_its_hub(self, position, name):
        told = {state: " ".join(RULE_SETS[name].allowed_actions(state)) for state in ACTIONS}
        assert told == {state: actions[position] for state, actions in ACTIONS.items()}

    @pytest.mark.parametrize("name", ["cleverbus", "openhub"])
    def test_leads_from_each_action_to_its_state(self, name):
        rules = RULE_SETS[name]
        assert rules.leads_to(MessageAction.RESTART) == MessageState.PARTLY_FAILED
        assert rules.leads_to(MessageAction.CANCEL) == MessageState.CANCEL
        assert rules.allowed_from(MessageAction.RESTART) == rules.restart_from
        assert rules.allowed_from(MessageAction.CANCEL) == rules.cancel_from

    def test_names_the_states_in_which_a_message_holds_others(self):
        clever, opened = RULE_SETS["cleverbus"], RULE_SETS["openhub"]
        assert (clever.repaired_from, opened.repaired_from) == ({"PROCESSING"}, QUEUED | {"PROCESSING"})
        assert (clever.holds_funnel, opened.holds_funnel) == (HUBS_OWN, QUEUED | HUBS_OWN)
        retried = {"PARTLY_FAILED", "POSTPONED"}
        assert (clever.holds_order, opened.holds_order) == (HUBS_OWN | retried, QUEUED | HUBS_OWN | retried)

    def test_has_the_habits_of_its_hub(self):
        habits = (
            "compares_component",
            "counts_each_value",
            "newest_id_first",
            "postponed_first",
            "parents_climb",
        )
        assert {name: [getattr(rules, habit) for habit in habits] for name, rules in RULE_SETS.items()} == {
            "cleverbus": [True, True, False, True, False],
            "openhub": [False, False, True, False, True],
        }
