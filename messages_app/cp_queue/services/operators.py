"""
Actions of operators: dispatch for a dead service; delete and send on free messages; pause and resume queues.
Also the log's retention.

Source: docs/contributing/spec/cp_queue.md, "Console".
"""

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from functools import partial

from django.conf import settings
from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.cp_queue import parameters
from messages_app.cp_queue.errors import MessageConflict, MessageNotFound
from messages_app.cp_queue.guids import guid_in_queue
from messages_app.cp_queue.models import CpMessage
from messages_app.cp_queue.services.audit_entries import record_action
from messages_app.cp_queue.services.dispatch import Dispatched, Result, dispatch_result, dispatch_results
from messages_app.cp_queue.states import Outcome, State

statements = Statements("messages_app.cp_queue")


# Messages of one dispatch for a service. A dead service holds a few; a second call takes further ones.
MAX_AT_ONCE = 1_000
# The most GUIDs that the audit entry lists.
_NAMED = 50


def dispatch_for_service(
    *, guid: str, service: str, reason: str, actor: audit.Actor, why: str = ""
) -> Dispatched:
    """
    Dispatch for a dead service, without a token.

    Args:
        service: the holder of the message that the operator saw, which another program may have written.
        reason: OK, RETRY, or an error text; why: for the audit.

    Raises: as dispatch_message.
    """
    name = parameters.stored_service_name(service)
    with transaction.atomic():
        dispatched = dispatch_result(name, Result(guid=guid, reason=reason), actor=actor)
        details = {"service": service, "reason": reason[:200]}
        change = (State.RESERVED, dispatched.outcome)
        record_action(actor, "dispatch", dispatched.guid, change=change, reason=why, details=details)
    return dispatched


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
    Dispatch everything that a dead service holds with one reason; at most MAX_AT_ONCE messages.

    Args:
        reason, why: as for dispatch_for_service.
        before: messages that the service reserved after this time are not dispatched, because it is not dead.
        within: only messages of these queues.

    Returns:
        The number of messages by outcome, without the ones that another dispatch or a reset took meanwhile.

    Raises:
        InvalidParameter: the name or the reason is invalid; nothing was written.
    """
    reason = parameters.dispatch_reason(reason)
    values = {
        "service": parameters.stored_service_name(service),
        "before": before,
        "within": parameters.queues_or_all(within),
        "limit": MAX_AT_ONCE,
    }
    with transaction.atomic():
        held = enumerate(statements.fetch_column("held", values))
        results = {place: Result(guid=guid, reason=reason) for place, guid in held}
        dispatched = dispatch_results(service, results, actor=actor).values()
        outcomes = Counter(one.outcome for one in dispatched)
        details = {
            "service": service,
            "reason": reason[:200],
            "messages": [one.guid for one in dispatched][:_NAMED],
            "dispatched": {str(outcome): number for outcome, number in outcomes.items()},
        }
        audit.record_entry(actor=actor, action="dispatch_cp_service", reason=why, details=details)
    return dict(outcomes)


def delete_message(*, guid: str, actor: audit.Actor, reason: str = "") -> str:
    """
    Delete a free message without processing its object; return its stored GUID.

    Raises:
        InvalidParameter: the GUID is invalid.
        MessageNotFound: no message has it.
        MessageConflict: reserved, a service holds it; reset it first.
    """
    guid = guid_in_queue(guid)
    with transaction.atomic():
        row = statements.fetch_row("delete", {"guid": guid})
        if row is not None:
            details = dict(zip(("queue", "osid", "ostype", "created"), map(str, row), strict=True))
            change = (State.FREE, "deleted")
            record_action(actor, "delete", guid, change=change, reason=reason, details=details)
            return guid
    raise _refuse_held(guid)


def would_delete(*, guid: str) -> str:
    """Return the GUID of the message that `delete_message` would remove. Raises: the same."""
    guid = guid_in_queue(guid)
    if not CpMessage.objects.filter(pk=guid, lock_service=None).exists():
        raise _refuse_held(guid)
    return guid


def send_on(*, guid: str, actor: audit.Actor, reason: str = "") -> str:
    """
    Make a deferred or parked message available now and reset its attempts; return its GUID.

    Raises:
        InvalidParameter: the GUID is invalid.
        MessageNotFound: no message has it.
        MessageConflict: not_waiting, it is free or reserved.
    """
    guid = guid_in_queue(guid)
    with transaction.atomic():
        row = statements.fetch_row("send_on", {"guid": guid})
        if row is not None:
            change = (State.DEFERRED if row[0] else State.PARKED, State.FREE)
            record_action(actor, "send_on", guid, change=change, reason=reason)
            return guid
    raise _make_refusal(guid, None, "not_waiting", "This message is not waiting after a retry.")


def _refuse_held(guid: str) -> MessageNotFound | MessageConflict:
    return _make_refusal(guid, State.RESERVED, "reserved", "A service holds this message. Reset it first.")


def _make_refusal(guid: str, state: State | None, code: str, text: str) -> MessageNotFound | MessageConflict:
    message = CpMessage.objects.filter(pk=guid).first()
    if message is None:
        return MessageNotFound(guid)
    current_state = State.FREE if message.lock_service is None else State.RESERVED
    return MessageConflict(code, text, current_state=state or current_state)


# Pausing a queue: no new reservation, from the moment that it is committed; the ones that services hold stay
# valid. The vendor does not have this; for a service, a paused queue is empty. Source:
# docs/contributing/spec/promises.md, I-53; docs/contributing/spec/bad_input.md, Q55.
_SWITCHES = {"pause": ("active", "paused"), "resume": ("paused", "active")}


def switch_queue(*, queue: str, how: str, actor: audit.Actor, reason: str = "") -> bool:
    """
    Pause or resume a queue, any name; return whether that changed it. Raises InvalidParameter.

    Args:
        how: pause or resume.
    """
    name = parameters.stored_queue_name(queue)
    before, after = _SWITCHES[how]
    with transaction.atomic():
        values = {"queue": name, "actor": actor.username, "reason": reason}
        is_changed = statements.count(how, values) == 1
        if is_changed:
            audit.record_entry(
                actor=actor,
                action=f"{how}_cp_queue",
                before_state=before,
                after_state=after,
                reason=reason,
                details={"queue": name},
            )
    return is_changed


pause_queue = partial(switch_queue, how="pause")
resume_queue = partial(switch_queue, how="resume")


# Retention: old dispatches, lost pickups and services that are gone are removed in small batches.
_BATCH, _MAX_BATCHES = 5_000, 200
_LOST_DAYS, _SERVICE_DAYS = 7, 30


def forget_old_log() -> int:
    """
    Remove dispatches older than settings.CP_LOG_DAYS, and other old rows; return the number of dispatches.
    """
    statements.count("forget_lost", {"days": _LOST_DAYS})
    statements.count("forget_services", {"days": _SERVICE_DAYS})
    removed = 0
    for _ in range(_MAX_BATCHES):
        count = statements.count("forget_dispatches", {"days": settings.CP_LOG_DAYS, "limit": _BATCH})
        removed += count
        if count < _BATCH:
            break
    return removed
