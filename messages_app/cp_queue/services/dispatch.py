"""
Dispatch: what a service reports about a message that it holds; also on behalf of a dead service.

RETRY keeps the message and frees it, with `created` as it is. It waits in a side table, longer after each
attempt, so that older messages get their turn; after the last attempt it waits until an operator sends it on.
Any other reason removes it. A message that is unknown, free or held by another service is refused; a second
dispatch of the same message finds nothing, which does no harm.

Source: docs/spec/cp_queue.md, "Decisions", "Console".
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from django.conf import settings
from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.cp_queue import parameters, states
from messages_app.cp_queue.errors import MessageConflict, MessageNotFound, TokenLost
from messages_app.cp_queue.guids import guid_in_queue
from messages_app.cp_queue.models import CpMessage
from messages_app.cp_queue.states import Outcome, State

statements = Statements("messages_app.cp_queue")


# What kept the first attempt from changing anything may be over when it is checked.
_TRIES = 3


@dataclass(frozen=True, kw_only=True)
class Dispatched:
    """
    What a dispatch did.

    Args:
        attempts: how often the message was dispatched with RETRY, this time included.
        not_before: when it is handed out again; None if it is removed or parked.
    """

    guid: str
    outcome: Outcome
    attempts: int
    not_before: datetime | None


def dispatch(*, guid: str, service: str, reason: str, token: str | None = None) -> Dispatched:
    """
    Take a message's result from the service that holds it.

    Args:
        reason: OK, RETRY, or what went wrong.
        token: of a fenced reservation.

    Raises:
        InvalidParameter: a parameter is invalid.
        MessageNotFound: no message has the GUID.
        MessageConflict: not_reserved, no one holds it; not_owner, another service does.
        TokenLost: the reservation was made again since, or is fenced and no token was given.
    """
    return _dispatch(guid, service, reason, token, actor=None)


def dispatch_for_service(
    *, guid: str, service: str, reason: str, actor: audit.Actor, why: str = ""
) -> Dispatched:
    """
    Dispatch for a service that is dead; no token is asked for.

    Args:
        service: who holds the message, as the operator saw it.
        why: for the audit.

    Raises: as dispatch.
    """
    with transaction.atomic():
        dispatched = dispatch_as_service(guid=guid, service=service, reason=reason, actor=actor)
        audit.record(
            actor=actor,
            action="dispatch_cp_message",
            subject_kind="cp_message",
            subject=dispatched.guid,
            before_state=State.RESERVED,
            after_state=dispatched.outcome,
            reason=why,
            details={"service": service, "reason": reason[:200]},
        )
    return dispatched


def dispatch_as_service(*, guid: str, service: str, reason: str, actor: audit.Actor) -> Dispatched:
    """Dispatch one message of a dead service; anyone who calls this audits it. Raises: as dispatch."""
    return _dispatch(guid, service, reason, None, actor=actor)


class _Values(TypedDict):
    """What dispatch.sql is given about the dispatch itself."""

    guid: str
    service: str
    reason: str
    token: str | None
    is_for_service: bool
    actor: str


def _dispatch(
    guid: str, service: str, reason: str, token: str | None, *, actor: audit.Actor | None
) -> Dispatched:
    values: _Values = {
        # Get-next returns it as it is stored; any other spelling costs a second attempt.
        "guid": parameters.stored_guid(guid),
        "service": parameters.service_name(service),
        "reason": parameters.dispatch_reason(reason),
        "token": token and token.upper(),
        "is_for_service": actor is not None,
        "actor": actor.username if actor else "",
    }
    for _ in range(_TRIES):
        row = statements.row("dispatch", {**values, **_effect(values["reason"])})
        if row is not None:
            outcome, attempts, not_before = row
            return Dispatched(
                guid=values["guid"], outcome=Outcome(outcome), attempts=attempts, not_before=not_before
            )
        values["guid"] = _refuse(values)
    raise MessageNotFound(values["guid"])


def _effect(reason: str) -> dict[str, object]:
    """Return what a reason does with the message, as the statement takes it."""
    return {
        "is_retry": states.is_retry(reason),
        "ended_as": states.ended_as(reason),
        "delays": retry_delays(),
        "deferred": Outcome.DEFERRED,
        "parked": Outcome.PARKED,
    }


def retry_delays() -> list[float]:
    """Return the seconds to wait after each attempt; after the last there is none."""
    first, longest = settings.CP_RETRY_SECONDS, settings.CP_LONGEST_RETRY_SECONDS
    attempts = range(1, settings.CP_MAX_ATTEMPTS)
    return [states.delay_seconds(number, first=first, longest=longest) for number in attempts]


def _refuse(values: _Values) -> str:
    """Raise why nothing was changed, or return the GUID under which the message can be dispatched now."""
    guid = guid_in_queue(values["guid"])
    if guid != values["guid"]:
        return guid
    found = CpMessage.objects.filter(pk=guid).values_list("lock_service", "checkguid").first()
    if found is None:
        raise MessageNotFound(guid)
    holder, checkguid = found
    if holder is None:
        text = f"Message {guid} is not reserved. It was reset, or never picked up."
        raise MessageConflict("not_reserved", text, current_state=State.FREE)
    if holder != values["service"]:
        text = f"Another service holds message {guid}."
        raise MessageConflict("not_owner", text, current_state=State.RESERVED)
    if values["token"] != (checkguid and checkguid.upper()) and not values["is_for_service"]:
        raise TokenLost(f"The token does not match the reservation of message {guid}.")
    return guid


# Dispatch of all that a dead service holds.


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
