"""
How a message makes children: by the splitter, or by the asynch-child component.

Source: docs/spec/cleverbus.md, "Parents and children".
"""

from dataclasses import dataclass
from uuid import UUID

from messages_app.demo import failures
from messages_app.demo.drafts import Draft
from messages_app.demo.families import children_of
from messages_app.demo.hub.arrivals import new_message, store
from messages_app.demo.hub.outcomes import Failed
from messages_app.demo.hub.play import Stage
from messages_app.demo.world import CHILDREN, OPERATIONS, SPLITTER_OPERATION, ChildSpec
from messages_app.messages.models import Message
from messages_app.messages.services import rules
from messages_app.shared.message_states import MessageState, ParentBinding

_INNER = {spec.operation: spec.children for specs in CHILDREN.values() for spec in specs if spec.children}


def specs_of(stage: Stage, message: Message) -> tuple[ChildSpec, ...]:
    """
    Return what a message starts at the end of its route, the SOFT ones first, as they have to end first.

    A child has children only where the hub looks further up than one level: else the one above all would
    wait forever.
    """
    if message.parent_msg_id is not None:
        return _INNER.get(message.operation_name, ()) if rules().parents_climb else ()
    operation = OPERATIONS.get(message.operation_name)
    return children_of(operation, stage.random) if operation else ()


def is_split(message: Message) -> bool:
    return message.operation_name == SPLITTER_OPERATION and message.parent_msg_id is None


def is_flagged(message: Message, specs: tuple[ChildSpec, ...]) -> bool:
    """Return whether the hub takes the message for a parent, which is in its memory only."""
    return is_split(message) or any(spec.binding == ParentBinding.HARD for spec in specs)


@dataclass(frozen=True)
class Child:
    """A child that is not stored yet."""

    message: Message
    funnel_values: tuple[str, ...]


def unborn(stage: Stage, parent: Message, specs: tuple[ChildSpec, ...]) -> list[Child]:
    """
    Return a message's children, not stored yet.

    Raises:
        Failed: the message was split before, which the splitter refuses.
    """
    if is_split(parent) and parent.failed_count:
        raise Failed(failures.SPLIT_BEFORE)
    shell = _as_draft(parent)
    return [_child(stage, parent, shell, spec, index) for index, spec in enumerate(specs)]


def _child(stage: Stage, parent: Message, shell: Draft, spec: ChildSpec, index: int) -> Child:
    draft = stage.senders.child(shell, spec, index)
    if not is_split(parent):
        draft.correlation_id = str(UUID(int=stage.random.getrandbits(128), version=4))
    message = new_message(
        stage,
        draft,
        envelope=None,
        guaranteed_order=False,
        msg_timestamp=parent.msg_timestamp,
        receive_timestamp=parent.receive_timestamp,
        parent_msg_id=parent.pk,
        parent_binding_type=spec.binding,
    )
    return Child(message, draft.funnel_values)


def _as_draft(parent: Message) -> Draft:
    """Return as much of a stored message as a sender of children asks for."""
    draft = Draft(
        operation=OPERATIONS[parent.operation_name],
        received_at=parent.receive_timestamp.timestamp(),
        msg_at=parent.msg_timestamp.timestamp(),
    )
    draft.correlation_id = parent.correlation_id
    draft.process_id = parent.process_id
    draft.source_system = parent.source_system
    return draft


def bear(stage: Stage, parent: Message, born: list[Child], *, waits: bool) -> None:
    """Store the children, all or none; a parent that waits does so only if its row is still PROCESSING."""
    with stage.book.transaction():
        for child in born:
            store(stage, child.message, child.funnel_values)
        if waits and stage.book.overwrite_while(parent, MessageState.PROCESSING, state=MessageState.WAITING):
            stage.came_into[MessageState.WAITING] += 1
