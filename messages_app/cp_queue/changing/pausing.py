"""
Pausing a queue: no new reservation, from the moment that it is committed; those that services hold stay
valid.

The vendor has no such thing; to a service a paused queue is an empty one. Source: reliability I-53, Q55.
"""

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.cp_queue import parameters
from messages_app.cp_queue.sending import count_of


def pause_queue(*, queue: str, actor: audit.Actor, reason: str = "") -> bool:
    """Pause a queue, any name; return whether it was not paused before. Raises InvalidParameter."""
    return _change("pause", queue, actor, reason, action="pause_cp_queue", states=("active", "paused"))


def resume_queue(*, queue: str, actor: audit.Actor, reason: str = "") -> bool:
    """Let a queue give out messages again; return whether it was paused. Raises InvalidParameter."""
    return _change("resume", queue, actor, reason, action="resume_cp_queue", states=("paused", "active"))


def _change(
    statement: str, queue: str, actor: audit.Actor, reason: str, *, action: str, states: tuple[str, str]
) -> bool:
    (name,) = parameters.queue_names([queue], field="QueueName")
    before, after = states
    with transaction.atomic():
        values = {"queue": name, "actor": actor.username, "reason": reason}
        is_changed = count_of(statement, values) == 1
        if is_changed:
            audit.record(
                actor=actor,
                action=action,
                before_state=before,
                after_state=after,
                reason=reason,
                details={"queue": name},
            )
    return is_changed
