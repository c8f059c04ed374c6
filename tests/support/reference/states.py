"""The page of the states of messages and of everything else that has states, from their only lists."""

from collections.abc import Collection, Iterable, Mapping

from messages_app.core.badges import Badge
from messages_app.cp_queue.states import OUTCOMES, STATES
from messages_app.document_history.states import PAIRS, VERDICTS
from messages_app.shared.message_states import (
    FINAL_STATES,
    HUB_OWNED_STATES,
    RULE_SETS,
    STATE_MEANINGS,
    ExternalCallState,
    MessageAction,
    MessageState,
    ParentBinding,
    RuleSet,
)
from messages_app.shared.store_states import MEANINGS, NAMES
from tests.support.reference.markdown import write_code, write_page, write_paragraph, write_table

_ON_MESSAGES = (
    "A hub overwrites {owned} without checking the state again, so cancelling such a message is only a"
    " request. A state that is not in this list is shown as it is and allows no action. Why a message is in"
    " its state: [explain codes](explain.md)."
)


def write_states() -> str:
    """Return the page of the states."""
    states = [
        (f"`{state}`", meaning, "yes" if state in FINAL_STATES else "")
        for state, meaning in STATE_MEANINGS.items()
    ]
    actions = [_describe_action(action) for action in MessageAction]
    owned = _write_states(HUB_OWNED_STATES)
    return write_page(
        "States and rules",
        "## Messages",
        write_table(("state", "meaning", "final"), states),
        "The states that allow an action, by `HUB_RULES`:",
        write_table(("", *(f"`{name}`" for name in RULE_SETS)), actions),
        write_paragraph(_ON_MESSAGES.format(owned=owned)),
        f"External calls: {write_code(*ExternalCallState)}. Parent bindings: {write_code(*ParentBinding)}.",
        "## Jobs",
        "[States, outcomes and reasons of jobs](job_kinds.md#states).",
        "## Documents",
        "Of a check ([how it decides](../how_it_works/document_history.md)):",
        _write_badges("status", VERDICTS),
        "Of a document in the history:",
        _write_badges("entries", PAIRS),
        "## Message store",
        "By number ([how messages are processed](../how_it_works/message_store.md)):",
        write_table(
            ("status", "name", "meaning"),
            [(f"`{status:d}`", NAMES[status], meaning) for status, meaning in MEANINGS.items()],
        ),
        "## CP messages",
        "Of a message ([its life](../how_it_works/cp_queue.md)):",
        _write_badges("state", STATES),
        "Of a dispatch:",
        _write_badges("outcome", OUTCOMES),
    )


def _describe_action(action: MessageAction) -> list[str]:
    (to,) = {rules.leads_to(action) for rules in RULE_SETS.values()}
    return [f"{action}, to `{to}`", *(_list_states(rules, action) for rules in RULE_SETS.values())]


def _list_states(rules: RuleSet, action: MessageAction) -> str:
    states = rules.allowed_from(action)
    return "all non-final states" if states == set(MessageState) - FINAL_STATES else _write_states(states)


def _write_states(states: Collection[MessageState]) -> str:
    """Return states in the order of their list."""
    return write_code(*_in_order(states))


def _in_order(states: Collection[MessageState]) -> Iterable[MessageState]:
    return (state for state in MessageState if state in states)


def _write_badges(name: str, badges: Mapping[str, Badge]) -> str:
    rows = [(f"`{code}`", badge.text, badge.title) for code, badge in badges.items()]
    return write_table((name, "shown as", "meaning"), rows)
