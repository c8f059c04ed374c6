"""
The route of one message, from the queue to its end, with the children that it starts.

Source: docs/contributing/spec/cleverbus.md, "Transitions", "Parents and children", "Funnels".
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from messages_app.demo import failures
from messages_app.demo.drafts import Draft
from messages_app.demo.hub import attempt_end
from messages_app.demo.hub.agenda import Steps, retry_while_busy
from messages_app.demo.hub.arrivals import new_message, store_message
from messages_app.demo.hub.calls import make_calls
from messages_app.demo.hub.order import funnel_of, is_first_in_order, is_kept_out
from messages_app.demo.hub.outcomes import Failed, Hung
from messages_app.demo.hub.play import Stage
from messages_app.demo.hub.writes import hub_time
from messages_app.demo.lives import children_of
from messages_app.demo.world import CHILDREN, OPERATIONS, SPLITTER_OPERATION, ChildSpec
from messages_app.messages.funnels.blocking import funnel_values
from messages_app.messages.models import Message
from messages_app.messages.services import hub_rules
from messages_app.shared.message_states import MessageState, ParentBinding

_INNER = {spec.operation: spec.children for specs in CHILDREN.values() for spec in specs if spec.children}


def specs_of(stage: Stage, message: Message) -> tuple[ChildSpec, ...]:
    """
    Return the children that a message starts at the end of its route: SOFT ones first, because they must end
    first.

    A child has children only if the hub checks more than one level up: otherwise the root would wait forever.
    """
    if message.parent_msg_id is not None:
        return _INNER.get(message.operation_name, ()) if hub_rules().parents_climb else ()
    operation = OPERATIONS.get(message.operation_name)
    return children_of(operation, stage.random) if operation else ()


def is_split(message: Message) -> bool:
    return message.operation_name == SPLITTER_OPERATION and message.parent_msg_id is None


def is_flagged(message: Message, specs: tuple[ChildSpec, ...]) -> bool:
    """Return whether the hub regards the message as a parent, which only its memory has."""
    return is_split(message) or any(spec.binding == ParentBinding.HARD for spec in specs)


@dataclass(frozen=True)
class Child:
    """A child that is not stored yet."""

    message: Message
    funnel_values: tuple[str, ...]


def make_children(stage: Stage, parent: Message, specs: tuple[ChildSpec, ...]) -> list[Child]:
    """
    Return a message's children, not stored yet.

    Raises:
        Failed: the message was split before, and the splitter refuses to do it again.
    """
    if is_split(parent) and parent.failed_count:
        raise Failed(failures.SPLIT_BEFORE)
    shell = _as_draft(parent)
    return [_make_child(stage, parent, shell, spec, index) for index, spec in enumerate(specs)]


def _make_child(stage: Stage, parent: Message, shell: Draft, spec: ChildSpec, index: int) -> Child:
    draft = stage.senders.make_child(shell, spec, index)
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
    """Return the part of a stored message that its children need."""
    draft = Draft(
        operation=OPERATIONS[parent.operation_name],
        received_at=parent.receive_timestamp.timestamp(),
        msg_at=parent.msg_timestamp.timestamp(),
    )
    draft.correlation_id = parent.correlation_id
    draft.process_id = parent.process_id
    draft.object_id = parent.object_id or ""
    draft.source_system = parent.source_system
    return draft


def store_children(stage: Stage, parent: Message, born: list[Child], *, waits: bool) -> None:
    """Store all children or none. A parent only begins to wait if its row is still PROCESSING."""
    with stage.book.open_transaction():
        for child in born:
            store_message(stage, child.message, child.funnel_values)
        if waits and stage.book.overwrite_row(parent, MessageState.PROCESSING, state=MessageState.WAITING):
            stage.entered_counts[MessageState.WAITING] += 1


# The hub takes a message by locking the row, checking the state again, and only then writing. Source:
# docs/contributing/spec/cleverbus.md, "Transitions", "Retries".
POLLED = frozenset({MessageState.PARTLY_FAILED, MessageState.POSTPONED})
_RESERVED = POLLED | {MessageState.NEW}


def take_message(
    stage: Stage, msg_id: int, from_states: AbstractSet[MessageState] = POLLED
) -> Message | None:
    """Take a message that the poll found; None if it was taken or cancelled in the meantime."""
    take = reserve_message if hub_rules().taken_from else begin_message
    return take(stage, msg_id, from_states)


def reserve_message(
    stage: Stage, msg_id: int, from_states: AbstractSet[MessageState] = _RESERVED
) -> Message | None:
    """
    Put a message into the node's queue, if the hub has one.

    Source: docs/contributing/spec/cleverbus.md, "Transitions" (IN_QUEUE).
    """
    return _move_message(
        stage, msg_id, from_states, state=MessageState.IN_QUEUE, start_in_queue_timestamp=hub_time()
    )


def begin_message(stage: Stage, msg_id: int, from_states: AbstractSet[MessageState]) -> Message | None:
    """Start a message that is in one of these states."""
    return _move_message(
        stage, msg_id, from_states, state=MessageState.PROCESSING, start_process_timestamp=hub_time()
    )


def _move_message(
    stage: Stage, msg_id: int, from_states: AbstractSet[MessageState], **columns: object
) -> Message | None:
    with stage.book.open_transaction():
        message = Message.objects.select_for_update().filter(pk=msg_id).first()
        if message is None or message.state not in from_states:
            return None
        stage.book.overwrite_row(message, node_id=stage.play.node, **columns)
    return message


def admit_message(stage: Stage, message: Message, *, is_polled: bool) -> Steps:
    """
    Return whether a taken message may continue. A message that is not first in its order is put back, or
    fails if a poll finds that it has waited too long since its receipt.

    Raises:
        Hung: its order cannot be checked.
    Source: docs/contributing/spec/cleverbus.md, "Retries", "Guaranteed order".
    """
    if is_first_in_order(message):
        return True
    if is_polled and message.receive_timestamp < hub_time() - stage.timing.order_fails_after:
        yield from attempt_end.fail_message(stage, message, failures.WAITED_TOO_LONG)
    else:
        yield from attempt_end.put_aside(stage, message, MessageState.POSTPONED)
    return False


_QUEUED = frozenset({MessageState.IN_QUEUE})


def queue_arrival(stage: Stage, message: Message) -> Steps:
    """Put a new message into the queue if it is first in its order."""
    if hub_rules().taken_from:
        message = yield from retry_while_busy(lambda: reserve_message(stage, message.pk))
        if message is None:
            return
    yield from _queue_message(stage, message, is_polled=False)


def take_up(stage: Stage, msg_id: int, *, from_states: AbstractSet[MessageState] = POLLED) -> Steps:
    """Put a message that a poll found into the queue; return whether it was taken."""
    message = yield from retry_while_busy(lambda: take_message(stage, msg_id, from_states))
    if message is None:
        return False
    yield from _queue_message(stage, message, is_polled=True)
    return True


def _queue_message(stage: Stage, message: Message, *, is_polled: bool) -> Steps:
    try:
        is_admitted = yield from admit_message(stage, message, is_polled=is_polled)
    except Hung:
        return
    if is_admitted:
        stage.workers.enqueue(lambda: run_message(stage, message))


def run_message(stage: Stage, message: Message) -> Steps:
    """Process a message from the queue as a worker does, with the queued copy."""
    if hub_rules().taken_from:
        message = yield from retry_while_busy(lambda: begin_message(stage, message.pk, _QUEUED))
        if message is None:
            return
    yield from _guard_steps(stage, message, _run_route(stage, message))


def resume_message(stage: Stage, msg_id: int) -> Steps:
    """Continue with a message whose answer has arrived."""
    waiting = frozenset({MessageState.WAITING_FOR_RES})
    message = yield from retry_while_busy(lambda: begin_message(stage, msg_id, waiting))
    if message is not None:
        yield from _guard_steps(stage, message, _end_route(stage, message))


def _guard_steps(stage: Stage, message: Message, steps: Steps) -> Steps:
    """Run the steps of the hub's error handler."""
    try:
        yield from steps
    except Failed as failed:
        yield from attempt_end.fail_message(stage, message, failed.failure)
    except Hung:
        return


def _run_route(stage: Stage, message: Message) -> Steps:
    yield from _enter_funnel(stage, message)
    if is_kept_out(stage, message):
        yield from attempt_end.put_aside(stage, message, MessageState.POSTPONED)
        return
    yield from make_calls(stage, message)
    operation = OPERATIONS.get(message.operation_name)
    if operation is not None and operation.is_answered_later:
        yield from attempt_end.put_aside(stage, message, MessageState.WAITING_FOR_RES)
        return
    yield from _end_route(stage, message)


def _enter_funnel(stage: Stage, message: Message) -> Steps:
    """Record in the row the funnel that the message is in now; the row has only the last one."""
    component = funnel_of(message)
    if component != message.funnel_component_id and funnel_values(message):
        yield from retry_while_busy(lambda: _note_funnel(stage, message, component))


def _note_funnel(stage: Stage, message: Message, component: str | None) -> None:
    with stage.book.open_transaction():
        stage.book.overwrite_row(message, funnel_component_id=component)


def _end_route(stage: Stage, message: Message) -> Steps:
    """End a route: a message with children waits for them, any other is OK."""
    specs = specs_of(stage, message)
    if not specs:
        yield from attempt_end.succeed_message(stage, message)
        return
    born = make_children(stage, message, specs)
    waits = is_flagged(message, specs)
    yield from retry_while_busy(lambda: store_children(stage, message, born, waits=waits))
    stage.workers.enqueue(lambda: _one_after_another(stage, born))
    if not waits:
        yield from attempt_end.succeed_message(stage, message)


def _one_after_another(stage: Stage, born: list[Child]) -> Steps:
    """
    Run children for the first time in one thread, because a parent whose SOFT child ends last waits forever.

    Source: docs/contributing/spec/cleverbus.md, "Parents and children" (the message splitter).
    """
    for child in born:
        message = child.message
        if hub_rules().taken_from:
            message = yield from retry_while_busy(partial(reserve_message, stage, message.pk))
        if message is not None:
            yield from run_message(stage, message)
