"""
The effects of a cancel or a restart on the parent and the children of a message.

Source: docs/contributing/spec/cleverbus.md, "Parents and children".
"""

from collections import Counter
from dataclasses import dataclass

from messages_app.messages.actions.effects import Effect, EffectCode, format_bounded_count
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.services import hub_rules
from messages_app.messages.tables import MESSAGES, MessageNotFound, locate_message
from messages_app.shared.message_states import FINAL_STATES, MessageState, ParentBinding

MAX_CHILDREN = 200


@dataclass(frozen=True)
class _Children:
    """Some children of a message: their states, and whether a splitter created them."""

    states: list[str]
    more: bool
    is_split: bool

    @property
    def words(self) -> str:
        states = ", ".join(f"{number} {state}" for state, number in Counter(self.states).most_common())
        return f"{format_bounded_count(len(self.states), 'child', more=self.more)} ({states})"


def parent_of_restarted(message: MessageColumns) -> Effect | None:
    """Return the effect of a restart on the parent; None without a parent."""
    if message.parent_msg_id is None:
        return None
    parent_id = message.parent_msg_id
    state, archived = _read_state(parent_id)
    if state is None:
        return _parent_effect(EffectCode.PARENT_NOT_TOLD, f"Its parent {parent_id} was not found.", parent_id)
    if archived:
        return _parent_effect(
            EffectCode.PARENT_NOT_TOLD,
            f"Its parent {parent_id} is in the archive and does not change.",
            parent_id,
        )
    if message.parent_binding_type != ParentBinding.HARD:
        return _parent_effect(
            EffectCode.PARENT_NOT_TOLD,
            f"It is not bound HARD to its parent {parent_id}, so the parent does not change.",
            parent_id,
        )
    return _effect_on_hard_parent(parent_id, state)


def _effect_on_hard_parent(parent_id: int, state: str) -> Effect:
    fails = "if it fails again, the parent becomes FAILED"
    if state == MessageState.WAITING:
        text = f"Its parent {parent_id} is WAITING and becomes OK when all its children are; {fails}."
        return _parent_effect(EffectCode.PARENT_WAITS, text, parent_id)
    if hub_rules().parents_climb:  # This hub sets a parent to OK only from WAITING.
        text = f"Its parent {parent_id} stays {state} even if this message succeeds; {fails}."
        return _parent_effect(
            EffectCode.PARENT_STAYS, text, parent_id, is_warning=state == MessageState.FAILED
        )
    text = f"Its parent {parent_id} is {state} and becomes OK if all its children end OK; {fails}."
    return _parent_effect(EffectCode.PARENT_HEALS, text, parent_id)


def _parent_effect(code: EffectCode, text: str, parent_id: int, *, is_warning: bool = False) -> Effect:
    return Effect(code=code, text=text, msg_ids=(parent_id,), is_warning=is_warning)


def children_of_restarted(message: MessageColumns) -> Effect:
    """Return the effect of a restart on the children: splitters reject it, other routes create new ones."""
    children = _read_children(message)
    if children is None:
        return Effect(code=EffectCode.CHILDREN_NONE, text="It has no children.")
    if children.is_split and message.failed_count:
        text = (
            f"It was split into {children.words}. The hub does not split a message that has failed, so it "
            "fails again: restart the children instead."
        )
        return Effect(code=EffectCode.CHILDREN_REFUSED, text=text, is_warning=True)
    text = f"It has {children.words}. Processing it again creates new ones, which repeat their work."
    return Effect(code=EffectCode.CHILDREN_TWICE, text=text, is_warning=True)


def parent_of_cancelled(message: MessageColumns) -> Effect | None:
    """Return the effect of a cancel on the parent, which the hub does not notify."""
    parent_id = message.parent_msg_id
    if parent_id is None:
        return None
    state, archived = _read_state(parent_id)
    if state == MessageState.WAITING and not archived:
        text = f"Its parent {parent_id} is WAITING and is not notified: it may wait forever."
        return _parent_effect(EffectCode.PARENT_NOT_TOLD, text, parent_id, is_warning=True)
    return _parent_effect(EffectCode.PARENT_NOT_TOLD, f"Its parent {parent_id} is not notified.", parent_id)


def children_of_cancelled(message: MessageColumns) -> Effect | None:
    """Return the effect of a cancel on the children, which continue."""
    children = _read_children(message)
    if children is None:
        return None
    is_open = bool(set(children.states) - FINAL_STATES)
    text = f"It has {children.words}, which are not cancelled with it."
    if is_open and message.state == MessageState.WAITING:
        text += " If one of them fails, this message still becomes FAILED."
    return Effect(code=EffectCode.CHILDREN_GO_ON, text=text, is_warning=is_open)


def _read_state(msg_id: int) -> tuple[str | None, bool]:
    """Return the state of a message and whether it is archived; None if no message has the id."""
    try:
        message, is_archived = locate_message(msg_id, lambda rows: rows.only("state"))
    except MessageNotFound:
        return None, False
    return message.state, is_archived


def _read_children(message: MessageColumns) -> _Children | None:
    """Return the first children, live ones before archived ones; None without children."""
    rows = [
        row
        for table in MESSAGES
        for row in table.objects.filter(parent_msg_id=message.msg_id)
        .order_by("msg_id")
        .values_list("state", "correlation_id")[: MAX_CHILDREN + 1]
    ]
    if not rows:
        return None
    # A splitter appends a number to the correlation id for each child.
    is_split = rows[0][1].startswith(f"{message.correlation_id}_")
    states = [state for state, _ in rows[:MAX_CHILDREN]]
    return _Children(states, more=len(rows) > MAX_CHILDREN, is_split=is_split)
