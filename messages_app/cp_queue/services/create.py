"""
New messages in the queue.

The object need not exist. All messages of a call have the same `created` and are made in one transaction.
Messages that exist already are created again: only a pickup collapses.

Source: docs/contributing/spec/cp_queue.md, "Operations".
"""

from collections.abc import Sequence

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.cp_queue import parameters
from messages_app.cp_queue.states import REINDEXED_AFTER, RenditionChange

statements = Statements("messages_app.cp_queue")


def create_messages(
    *,
    object_id: int,
    object_type: int,
    queues: Sequence[str],
    actor: audit.Actor | None = None,
    reason: str = "",
) -> int:
    """
    Create one message for an object in each queue, and return how many were created.

    Args:
        queues: any names; states.py FLAGGED_QUEUES has those of the vendor's flags.
        actor: a person, whose action is audited. A program that reports a change has none.

    Raises:
        InvalidParameter: an id or a queue name is invalid.
    """
    osid, ostype, names = _check_values(object_id, object_type, queues)
    if not names:
        return 0
    values = {"osid": osid, "ostype": ostype, "queues": names}
    with transaction.atomic():
        made = statements.count("create", values)
        if actor is not None:
            details = values | {"created": made}
            audit.record_entry(actor=actor, action="create_cp_messages", reason=reason, details=details)
    return made


def would_create(*, object_id: int, object_type: int, queues: Sequence[str]) -> int:
    """Return how many messages `create_messages` would create, without creating them. Raises: the same."""
    return len(_check_values(object_id, object_type, queues)[-1])


def _check_values(object_id: int, object_type: int, queues: Sequence[str]) -> tuple[int, int, list[str]]:
    return (
        parameters.whole_number(object_id, field="ObjectID"),
        parameters.whole_number(object_type, field="ObjectType"),
        parameters.new_queue_names(queues),
    )


# Changes of an object's rendition, which services report.
#
# Source: docs/contributing/spec/cp_queue.md, "Operations" (std.CPRenditionChanged).
def rendition_changed(*, object_id: int, object_type: int, change: RenditionChange) -> int:
    """
    Index an object again if its text has changed; return how many messages were created.

    Raises:
        InvalidParameter: an object's number is invalid.
    """
    return create_messages(object_id=object_id, object_type=object_type, queues=REINDEXED_AFTER[change])
