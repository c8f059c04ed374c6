"""
Resets: reserved messages are free again, for anyone.

The vendor describes only the reset of a service, and names the other two. A worker that is still alive
continues with its message: it is processed twice, and the worker's dispatch is refused.

Source: docs/contributing/spec/cp_queue.md, "Operations".
"""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.cp_queue import parameters
from messages_app.cp_queue.errors import MessageNotFound
from messages_app.cp_queue.guids import guid_in_queue
from messages_app.cp_queue.models import CpMessage
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.services.audit_entries import record_action
from messages_app.cp_queue.states import Released, State

statements = Statements("messages_app.cp_queue")


# The most GUIDs that an audit entry lists.
_NAMED = 50


# The conditions of release.sql and selected.sql; None: any value.
_ANY = dict.fromkeys(("guid", "service", "queue", "osid", "ostype", "created_before"))


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Reserved messages that meet every condition that is given, at least one."""

    queue: str | None = None
    service: str | None = None
    object_id: int | None = None
    object_type: int | None = None
    created_before: datetime | None = None

    def values(self) -> dict[str, object]:
        """
        Return the conditions as the statements take them.

        Raises:
            InvalidParameter: no condition is given, or a value is invalid.
        """
        if all(value is None for value in asdict(self).values()):
            raise InvalidParameter("QueueName", "required", "Enter at least one condition.")
        return {
            **_ANY,
            "service": self.service and parameters.stored_service_name(self.service),
            "queue": self.queue and parameters.stored_queue_name(self.queue),
            "osid": self.object_id and parameters.whole_number(self.object_id, field="ObjectID"),
            "ostype": self.object_type and parameters.whole_number(self.object_type, field="ObjectType"),
            "created_before": self.created_before,
        }


def reset_service(
    *, service: str, actor: audit.Actor, reason: str = "", within: Collection[str] | None = None
) -> int:
    """
    Free everything that a service holds, and return how many; a service calls this when it starts.

    Args:
        within: only messages of these queues.

    Raises:
        InvalidParameter: the name is invalid.
    """
    selection = Selection(service=parameters.stored_service_name(service))
    return _reset_selection(selection, actor, reason, action="reset_cp_service", within=within)


def reset_selective(*, selection: Selection, actor: audit.Actor, reason: str = "") -> int:
    """
    Free the reserved messages of a selection, and return how many.

    Raises:
        InvalidParameter: the selection names no condition, or a wrong one.
    """
    return _reset_selection(selection, actor, reason, action="reset_cp_selection")


def reset_message(*, guid: str, actor: audit.Actor, service: str | None = None, reason: str = "") -> Released:
    """
    Free one message.

    Args:
        service: its holder when the operator saw it; if another service holds it now, nothing is changed.

    Raises:
        InvalidParameter: the GUID or the name is invalid.
        MessageNotFound: no message has the GUID.
    """
    guid = guid_in_queue(guid)
    held_by = service and parameters.stored_service_name(service)
    values = {**_ANY, "guid": guid, "service": held_by, "within": None}
    with transaction.atomic():
        if statements.fetch_rows("release", values):
            details = {"service": held_by} if held_by else {}
            change = (State.RESERVED, State.FREE)
            record_action(actor, "reset", guid, change=change, reason=reason, details=details)
            return Released.RELEASED
    if not CpMessage.objects.filter(pk=guid).exists():
        raise MessageNotFound(guid)
    return Released.NOT_RESERVED


def _reset_selection(
    selection: Selection,
    actor: audit.Actor,
    reason: str,
    *,
    action: str,
    within: Collection[str] | None = None,
) -> int:
    values = {**selection.values(), "within": parameters.queues_or_all(within)}
    with transaction.atomic():
        freed = statements.fetch_column("release", values)
        conditions = {name: str(value) for name, value in asdict(selection).items() if value is not None}
        details = conditions | {"released": len(freed), "messages": freed[:_NAMED]}
        audit.record_entry(actor=actor, action=action, reason=reason, details=details)
    return len(freed)
