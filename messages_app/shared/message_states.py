"""
The only list of the states of messages and external calls, and of the rules of restart, cancel and resend.

Imports no Django code, because executors use it.

Source: docs/contributing/spec/cleverbus.md, "States", "External calls", "Restart and cancel".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class MessageState(StrEnum):
    NEW = "NEW"
    IN_QUEUE = "IN_QUEUE"
    PROCESSING = "PROCESSING"
    WAITING = "WAITING"
    WAITING_FOR_RES = "WAITING_FOR_RES"
    PARTLY_FAILED = "PARTLY_FAILED"
    POSTPONED = "POSTPONED"
    OK = "OK"
    FAILED = "FAILED"
    CANCEL = "CANCEL"


class ExternalCallState(StrEnum):
    PROCESSING = "PROCESSING"
    OK = "OK"
    FAILED = "FAILED"
    FAILED_END = "FAILED_END"


class ParentBinding(StrEnum):
    HARD = "HARD"
    SOFT = "SOFT"


class MessageAction(StrEnum):
    CANCEL = "cancel"
    RESTART = "restart"


# Descriptions of states, shown next to their colours.
STATE_MEANINGS: Mapping[str, str] = {
    MessageState.NEW: "stored, not picked up yet",
    MessageState.IN_QUEUE: "reserved by a hub node",
    MessageState.PROCESSING: "being processed by the hub",
    MessageState.WAITING: "waiting for its children",
    MessageState.WAITING_FOR_RES: "waiting for a response from an external system",
    MessageState.PARTLY_FAILED: "failed, will be retried",
    MessageState.POSTPONED: "postponed for another message, will be retried",
    MessageState.OK: "processed",
    MessageState.FAILED: "failed, will not be retried",
    MessageState.CANCEL: "cancelled, will not be retried",
}

FINAL_STATES = frozenset({MessageState.OK, MessageState.FAILED, MessageState.CANCEL})

# Messages in these states block no other message: funnels and guaranteed order ignore them. Source:
# docs/contributing/spec/cleverbus.md, "Funnels", "Guaranteed order".
BYGONE_STATES = frozenset({MessageState.OK, MessageState.CANCEL})

# The last attempt failed, and the message has not succeeded after that.
FAILURE_STATES = frozenset({MessageState.FAILED, MessageState.PARTLY_FAILED})

# The hub has taken these messages or will soon: they are not final and do not wait for a retry.
UNDER_WAY_STATES = (
    frozenset(MessageState) - FINAL_STATES - {MessageState.PARTLY_FAILED, MessageState.POSTPONED}
)

# The hub overwrites these states without checking the row, so a cancel is only a request. Source:
# docs/contributing/spec/cleverbus.md, "Restart and cancel" point 8.
HUB_OWNED_STATES = frozenset({MessageState.PROCESSING, MessageState.WAITING, MessageState.WAITING_FOR_RES})

# An external call with this operation is a confirmation to the source system, not a call of the route.
CONFIRMATION_OPERATION = "confirmation"


@dataclass(frozen=True, kw_only=True)
class RuleSet:
    """
    The rules of one version of the hub: the actions that an operator may take, and the hub's own processing.

    Args:
        restart_from, cancel_from: the states that allow the action.
        resend_from: the states in which a message can be replaced by a corrected one.
        resend_to: the state of the corrected message, from which the poll of the hub takes it.
        taken_from: the states before PROCESSING from which the hub takes, counts and repairs messages.
        compares_component: a funnel compares component ids; otherwise a value is exclusive everywhere.
        counts_each_value: a funnel counts a message once for each of its values, including itself.
        newest_id_first: among equal times, the newest id is first in an order; otherwise the order is
            undefined.
        postponed_first: the poll takes PARTLY_FAILED messages only if no POSTPONED message is due.
        parents_climb: a parent that is ended by its children then counts as a child of its own parent, but
            only a WAITING one becomes OK.
    Source: docs/contributing/spec/cleverbus.md, "Retries", "Repair", "Restart and cancel", "Parents and
    children", "Funnels", "Guaranteed order".
    """

    name: str
    restart_from: frozenset[MessageState]
    cancel_from: frozenset[MessageState]
    taken_from: frozenset[MessageState]
    compares_component: bool
    counts_each_value: bool
    newest_id_first: bool
    postponed_first: bool
    parents_climb: bool
    restart_to: MessageState = MessageState.PARTLY_FAILED
    cancel_to: MessageState = MessageState.CANCEL
    resend_from: frozenset[MessageState] = frozenset({MessageState.FAILED})
    resend_to: MessageState = MessageState.POSTPONED

    @property
    def repaired_from(self) -> frozenset[MessageState]:
        """The states from which the repair takes messages."""
        return self.taken_from | {MessageState.PROCESSING}

    @property
    def holds_funnel(self) -> frozenset[MessageState]:
        """The states in which a message blocks other messages of its funnel value."""
        return self.taken_from | HUB_OWNED_STATES

    @property
    def holds_order(self) -> frozenset[MessageState]:
        """The states in which an earlier message blocks a guaranteed order, in addition to FAILED."""
        return self.holds_funnel | {MessageState.PARTLY_FAILED, MessageState.POSTPONED}

    def allowed_from(self, action: MessageAction) -> frozenset[MessageState]:
        return {MessageAction.CANCEL: self.cancel_from, MessageAction.RESTART: self.restart_from}[action]

    def leads_to(self, action: MessageAction) -> MessageState:
        return {MessageAction.CANCEL: self.cancel_to, MessageAction.RESTART: self.restart_to}[action]

    def allowed_actions(self, state: str) -> list[MessageAction]:
        """Return the actions that are allowed in `state`; empty for an unknown state."""
        return [action for action in MessageAction if state in self.allowed_from(action)]


# Source: docs/contributing/spec/cleverbus.md, "Restart and cancel".
RULE_SETS = {
    rules.name: rules
    for rules in (
        RuleSet(
            name="cleverbus",
            restart_from=frozenset({MessageState.FAILED, MessageState.CANCEL}),
            cancel_from=frozenset({MessageState.NEW, MessageState.PARTLY_FAILED, MessageState.POSTPONED}),
            taken_from=frozenset(),
            compares_component=True,
            counts_each_value=True,
            newest_id_first=False,
            postponed_first=True,
            parents_climb=False,
        ),
        RuleSet(
            name="openhub",
            restart_from=FINAL_STATES,
            cancel_from=frozenset(MessageState) - FINAL_STATES,
            taken_from=frozenset({MessageState.NEW, MessageState.IN_QUEUE}),
            compares_component=False,
            counts_each_value=False,
            newest_id_first=True,
            postponed_first=False,
            parents_climb=True,
        ),
    )
}
