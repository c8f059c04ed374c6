"""
The route of one message, from the queue to its end, with the children that it starts.

Source: docs/spec/cleverbus.md, "Transitions", "Parents and children", "Funnels".
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from messages_app.demo import failures
from messages_app.demo.drafts import Draft
from messages_app.demo.hub import attempt_end
from messages_app.demo.hub.agenda import Steps, patiently
from messages_app.demo.hub.arrivals import new_message, store
from messages_app.demo.hub.calls import make_calls
from messages_app.demo.hub.order import funnel_of, is_first_in_order, is_kept_out
from messages_app.demo.hub.outcomes import Failed, Hung
from messages_app.demo.hub.play import Stage
from messages_app.demo.hub.writes import now
from messages_app.demo.lives import children_of
from messages_app.demo.world import CHILDREN, OPERATIONS, SPLITTER_OPERATION, ChildSpec
from messages_app.messages.funnels.blocking import funnel_values
from messages_app.messages.models import Message
from messages_app.messages.services import rules
from messages_app.shared.message_states import MessageState, ParentBinding

_INNER = {spec.operation: spec.children for specs in CHILDREN.values() for spec in specs if spec.children}


def specs_of(stage: Stage, message: Message) -> tuple[ChildSpec, ...]:
    """
    Return the children that a message starts at the end of its route; SOFT ones first, because they must end
    first.

    A child has children only where the hub looks further up than one level: else the one above all would wait
    forever.
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


# How the hub takes a message: the row is locked, its state checked again, and only then written.
#
# Source: docs/spec/cleverbus.md, "Transitions", "Retries".


POLLED = frozenset({MessageState.PARTLY_FAILED, MessageState.POSTPONED})


def take(stage: Stage, msg_id: int) -> Message | None:
    """Take a message that the poll found; None when someone was faster, or has cancelled it."""
    return reserve(stage, msg_id) if rules().taken_from else begin(stage, msg_id, POLLED)


def reserve(stage: Stage, msg_id: int) -> Message | None:
    """
    Put a message into the node's queue, if the hub has one.

    Source: docs/spec/cleverbus.md, "Transitions" (IN_QUEUE).
    """
    from_states = POLLED | {MessageState.NEW}
    return _moved(stage, msg_id, from_states, state=MessageState.IN_QUEUE, start_in_queue_timestamp=now())


def begin(stage: Stage, msg_id: int, from_states: AbstractSet[MessageState]) -> Message | None:
    """Start a message that is in one of these states."""
    return _moved(stage, msg_id, from_states, state=MessageState.PROCESSING, start_process_timestamp=now())


def _moved(
    stage: Stage, msg_id: int, from_states: AbstractSet[MessageState], **columns: object
) -> Message | None:
    with stage.book.transaction():
        message = Message.objects.select_for_update().filter(pk=msg_id).first()
        if message is None or message.state not in from_states:
            return None
        stage.book.overwrite(message, node_id=stage.play.node, **columns)
    return message


def admit(stage: Stage, message: Message, *, is_polled: bool) -> Steps:
    """
    Return whether a message that was taken may continue; one that is not first in its order is put back, or
    fails when a poll finds that it has waited too long since its receipt.

    Raises:
        Hung: its order cannot be checked.
    Source: docs/spec/cleverbus.md, "Retries", "Guaranteed order".
    """
    if is_first_in_order(message):
        return True
    if is_polled and message.receive_timestamp < now() - stage.timing.order_fails_after:
        yield from attempt_end.fail(stage, message, failures.WAITED_TOO_LONG)
    else:
        yield from attempt_end.put_aside(stage, message, MessageState.POSTPONED)
    return False


_QUEUED = frozenset({MessageState.IN_QUEUE})


def arrive(stage: Stage, message: Message) -> Steps:
    """Bring a message that was just stored into the queue, unless it is not first in its order."""
    if rules().taken_from:
        message = yield from patiently(lambda: reserve(stage, message.pk))
        if message is None:
            return
    yield from _queue(stage, message, is_polled=False)


def take_up(stage: Stage, msg_id: int) -> Steps:
    """Bring a message that a poll found into the queue; return whether it was taken."""
    message = yield from patiently(lambda: take(stage, msg_id))
    if message is None:
        return False
    yield from _queue(stage, message, is_polled=True)
    return True


def _queue(stage: Stage, message: Message, *, is_polled: bool) -> Steps:
    try:
        is_admitted = yield from admit(stage, message, is_polled=is_polled)
    except Hung:
        return
    if is_admitted:
        stage.workers.enqueue(lambda: run(stage, message))


def run(stage: Stage, message: Message) -> Steps:
    """Process a message from the queue as a worker does, with the queued copy."""
    if rules().taken_from:
        message = yield from patiently(lambda: begin(stage, message.pk, _QUEUED))
        if message is None:
            return
    yield from _guarded(stage, message, _route(stage, message))


def go_on(stage: Stage, msg_id: int) -> Steps:
    """Continue with a message whose answer has arrived."""
    waiting = frozenset({MessageState.WAITING_FOR_RES})
    message = yield from patiently(lambda: begin(stage, msg_id, waiting))
    if message is not None:
        yield from _guarded(stage, message, _end(stage, message))


def _guarded(stage: Stage, message: Message, steps: Steps) -> Steps:
    """Run the steps of the hub's error handler."""
    try:
        yield from steps
    except Failed as failed:
        yield from attempt_end.fail(stage, message, failed.failure)
    except Hung:
        return


def _route(stage: Stage, message: Message) -> Steps:
    yield from _enter_funnel(stage, message)
    if is_kept_out(stage, message):
        yield from attempt_end.put_aside(stage, message, MessageState.POSTPONED)
        return
    yield from make_calls(stage, message)
    operation = OPERATIONS.get(message.operation_name)
    if operation is not None and operation.is_answered_later:
        yield from attempt_end.put_aside(stage, message, MessageState.WAITING_FOR_RES)
        return
    yield from _end(stage, message)


def _enter_funnel(stage: Stage, message: Message) -> Steps:
    """Note in the row which funnel the message is in now; it keeps the last one only."""
    component = funnel_of(message)
    if component != message.funnel_component_id and funnel_values(message):
        yield from patiently(lambda: _note_funnel(stage, message, component))


def _note_funnel(stage: Stage, message: Message, component: str | None) -> None:
    with stage.book.transaction():
        stage.book.overwrite(message, funnel_component_id=component)


def _end(stage: Stage, message: Message) -> Steps:
    """End a route: with children the message waits for them, without it is OK."""
    specs = specs_of(stage, message)
    if not specs:
        yield from attempt_end.succeed(stage, message)
        return
    born = unborn(stage, message, specs)
    waits = is_flagged(message, specs)
    yield from patiently(lambda: bear(stage, message, born, waits=waits))
    stage.workers.enqueue(lambda: _one_after_another(stage, born))
    if not waits:
        yield from attempt_end.succeed(stage, message)


def _one_after_another(stage: Stage, born: list[Child]) -> Steps:
    """
    Run children for the first time, in one thread: a parent whose SOFT child ends last waits forever.

    Source: docs/spec/cleverbus.md, "Parents and children" (the message splitter).
    """
    for child in born:
        message = child.message
        if rules().taken_from:
            message = yield from patiently(partial(reserve, stage, message.pk))
        if message is not None:
            yield from run(stage, message)
