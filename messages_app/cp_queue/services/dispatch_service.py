"""Dispatch for a dead service, of all that it holds. Source: docs/spec/cp_queue.md, "Console"."""

from collections import Counter
from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.cp_queue import parameters
from messages_app.cp_queue.errors import MessageConflict, MessageNotFound
from messages_app.cp_queue.services.dispatch import dispatch_as_service
from messages_app.cp_queue.states import Outcome

statements = Statements("messages_app.cp_queue")


# Of one call; a dead service holds a few, and who needs more calls again.
MOST_AT_ONCE = 1_000
# The most GUIDs that the audit entry lists.
_NAMED = 50


def dispatch_all_for_service(
    *,
    service: str,
    reason: str,
    actor: audit.Actor,
    why: str = "",
    before: datetime | None = None,
    within: Collection[str] | None = None,
) -> dict[Outcome, int]:
    """
    Say of all that a dead service holds what it would have said; MOST_AT_ONCE of them.

    Args:
        reason: OK, RETRY, or what went wrong.
        why: for the audit.
        before: what the service reserved after this time is left alone: it is not dead.
        within: what it holds of other queues than these is left alone.

    Returns:
        How many messages each outcome has; what another dispatch or a reset took meanwhile is not counted.

    Raises:
        InvalidParameter: the name or the reason is invalid; nothing was written.
    """
    reason = parameters.dispatch_reason(reason)
    values = {
        "service": parameters.service_name(service),
        "before": before,
        "within": parameters.queues_or_all(within),
        "limit": MOST_AT_ONCE,
    }
    with transaction.atomic():
        done: dict[str, Outcome] = {}
        for (guid,) in statements.rows("held", values):
            try:
                done[guid] = dispatch_as_service(
                    guid=guid, service=service, reason=reason, actor=actor
                ).outcome
            except (MessageNotFound, MessageConflict):
                continue
        outcomes = Counter(done.values())
        details = {"service": service, "reason": reason[:200], "messages": list(done)[:_NAMED]}
        counts = {str(outcome): number for outcome, number in outcomes.items()}
        audit.record(
            actor=actor, action="dispatch_cp_service", reason=why, details=details | {"dispatched": counts}
        )
    return dict(outcomes)
