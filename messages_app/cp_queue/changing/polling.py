"""Polling as a worker would, for support and tests. Source: spec/other-systems.md 3.9."""

from collections.abc import Sequence

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.cp_queue.changing.picking import Picked, get_next
from messages_app.cp_queue.states import MAX_NAME, State


def service_of(actor: audit.Actor) -> str:
    """Return the name by which an operator holds messages: no worker of that name must run."""
    return f"console:{actor.username}"[:MAX_NAME]


def poll(*, queues: str | Sequence[str], actor: audit.Actor, reason: str = "") -> Picked | None:
    """
    Reserve the next message for the operator, exactly as for a worker; None is the empty answer.

    It stays reserved until the operator dispatches or resets it.

    Raises:
        InvalidParameter: a queue's name is none.
    """
    service = service_of(actor)
    with transaction.atomic():
        picked = get_next(queues=queues, service=service)
        if picked is not None:
            audit.record(
                actor=actor,
                action="poll_cp_queue",
                subject_kind="cp_message",
                subject=picked.guid,
                before_state=State.FREE,
                after_state=State.RESERVED,
                reason=reason,
                details={"service": service, "queue": picked.queue, "collapsed": picked.collapsed},
            )
    return picked
