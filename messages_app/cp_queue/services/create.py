"""
New messages in the queue.

No one asks whether the object exists, all messages of one call have one `created`, and one transaction makes
them. Nothing is left out that is there already: only a pickup collapses.

Source: docs/spec/cp_queue.md, "Operations".
"""

from collections.abc import Sequence
from typing import TypedDict

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.cp_queue import parameters
from messages_app.cp_queue.states import REINDEXED_AFTER, RenditionChange

statements = Statements("messages_app.cp_queue")


def create(
    *,
    object_id: int,
    object_type: int,
    queues: Sequence[str],
    actor: audit.Actor | None = None,
    reason: str = "",
) -> int:
    """
    Make one message for an object in each queue, and return how many; without a queue, none.

    Args:
        queues: any names; states.py FLAGGED_QUEUES has those of the vendor's flags.
        actor: a person, whose action the audit keeps. A program that reports a change names none.

    Raises:
        InvalidParameter: an id or a queue's name is not one.
    """
    values = _values(object_id, object_type, queues)
    names = values["queues"]
    if not names:
        return 0
    with transaction.atomic():
        made = statements.count("create", values)
        if actor is not None:
            details = {"osid": object_id, "ostype": object_type, "queues": names, "created": made}
            audit.record(actor=actor, action="create_cp_messages", reason=reason, details=details)
    return made


def would_create(*, object_id: int, object_type: int, queues: Sequence[str]) -> int:
    """Return how many messages `create` would make, and make none. Raises: as create."""
    return len(_values(object_id, object_type, queues)["queues"])


class _Values(TypedDict):
    """The parameters of create.sql."""

    osid: int
    ostype: int
    queues: list[str]


def _values(object_id: int, object_type: int, queues: Sequence[str]) -> _Values:
    return {
        "osid": parameters.whole_number(object_id, field="ObjectID"),
        "ostype": parameters.whole_number(object_type, field="ObjectType"),
        "queues": parameters.new_queue_names(queues),
    }


# What a service reports about the rendition of an object.
#
# Source: docs/spec/cp_queue.md, "Operations" (std.CPRenditionChanged).


def rendition_changed(*, object_id: int, object_type: int, change: RenditionChange) -> int:
    """
    Have an object indexed again if the change is one of its text; return how many messages that made.

    Raises:
        InvalidParameter: an object's number is invalid.
    """
    queues = REINDEXED_AFTER[change]
    if not queues:
        parameters.whole_number(object_id, field="ObjectID")
        parameters.whole_number(object_type, field="ObjectType")
    return create(object_id=object_id, object_type=object_type, queues=queues)
