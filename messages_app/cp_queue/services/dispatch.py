"""
Dispatch: a service reports the result of a message that it holds; also on behalf of a dead service.

RETRY keeps the message and frees it, with `created` as it is. It waits in a side table, longer after each
attempt, so that older messages get their turn; after the last attempt it waits until an operator sends it on.
Any other reason removes it. A message that is unknown, free or held by another service is refused; a second
dispatch of the same message finds nothing, which does no harm.

Source: docs/contributing/spec/cp_queue.md, "Decisions", "Console".
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypedDict

from django.conf import settings
from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.cp_queue import parameters, states
from messages_app.cp_queue.errors import InvalidParameter, MessageConflict, MessageNotFound, TokenLost
from messages_app.cp_queue.guids import guid_in_queue
from messages_app.cp_queue.models import CpMessage
from messages_app.cp_queue.states import Outcome, State

statements = Statements("messages_app.cp_queue")


# The cause of a refused first attempt may be gone when it is examined.
_TRIES = 3


@dataclass(frozen=True, kw_only=True)
class Dispatched:
    """
    Result of a dispatch.

    Args:
        attempts: dispatches of the message with RETRY, this one included.
        not_before: when it is available again; None if it is removed or parked.
    """

    guid: str
    outcome: Outcome
    attempts: int
    not_before: datetime | None


def dispatch_message(*, guid: str, service: str, reason: str, token: str | None = None) -> Dispatched:
    """
    Record the result of a message that a service holds.

    Args:
        reason: OK, RETRY, or an error text.
        token: of a fenced reservation.

    Raises:
        InvalidParameter: a parameter is invalid.
        MessageNotFound: no message has the GUID.
        MessageConflict: not_reserved, no service holds it; not_owner, another service does.
        TokenLost: the reservation is not the token's, or is fenced and no token was given.
    """
    return _dispatch_message(guid, service, reason, token, actor=None)


def dispatch_for_service(
    *, guid: str, service: str, reason: str, actor: audit.Actor, why: str = ""
) -> Dispatched:
    """
    Dispatch for a dead service, without a token.

    Args:
        service: the holder of the message that the operator saw.
        why: for the audit.

    Raises: as dispatch.
    """
    with transaction.atomic():
        dispatched = dispatch_as_service(guid=guid, service=service, reason=reason, actor=actor)
        audit.record_entry(
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
    """Dispatch one message of a dead service; the caller audits it. Raises: as dispatch."""
    return _dispatch_message(guid, service, reason, None, actor=actor)


class _Values(TypedDict):
    """Parameters of dispatch.sql that are about the dispatch."""

    guid: str
    service: str
    reason: str
    token: str | None
    is_for_service: bool
    actor: str


def _dispatch_message(
    guid: str, service: str, reason: str, token: str | None, *, actor: audit.Actor | None
) -> Dispatched:
    values: _Values = {
        # Get-next returns it as it is stored; any other spelling costs a second attempt.
        "guid": parameters.stored_guid(guid),
        # An operator names a holder that another program may have written.
        "service": parameters.stored_service_name(service) if actor else parameters.service_name(service),
        "reason": parameters.dispatch_reason(reason),
        "token": token and token.upper(),
        "is_for_service": actor is not None,
        "actor": actor.username if actor else "",
    }
    for _ in range(_TRIES):
        row = statements.fetch_row(
            "dispatch", {**values, **_effect_of_reason(values["reason"])}, prepare=True
        )
        if row is not None:
            outcome, attempts, not_before = row
            return Dispatched(
                guid=values["guid"], outcome=Outcome(outcome), attempts=attempts, not_before=not_before
            )
        values["guid"] = _refuse_dispatch(values)
    raise MessageNotFound(values["guid"])


class _Effect(TypedDict):
    """
    Parameters of dispatch.sql that are about the effect of a reason.

    Args:
        delays: seconds to wait after each attempt; None: the message is removed.
    """

    ended_as: str
    delays: list[float] | None


def _effect_of_reason(reason: str) -> _Effect:
    delays = retry_delays() if states.is_retry(reason) else None
    return {"ended_as": states.ended_as(reason), "delays": delays}


def retry_delays() -> list[float]:
    """Return the seconds to wait after each attempt except the last."""
    first, longest = settings.CP_RETRY_SECONDS, settings.CP_LONGEST_RETRY_SECONDS
    attempts = range(1, settings.CP_MAX_ATTEMPTS)
    return [states.delay_seconds(number, first=first, longest=longest) for number in attempts]


def _refuse_dispatch(values: _Values) -> str:
    """Raise the reason why nothing was changed, or return the stored GUID to dispatch."""
    guid = guid_in_queue(values["guid"])
    if guid != values["guid"]:
        return guid
    row = CpMessage.objects.filter(pk=guid).values_list("lock_service", "checkguid").first()
    if row is None:
        raise MessageNotFound(guid)
    holder, checkguid = row
    if holder is None:
        text = f"Message {guid} is not reserved. It was reset, or never picked up."
        raise MessageConflict("not_reserved", text, current_state=State.FREE)
    if holder != values["service"]:
        text = f"Another service holds message {guid}."
        raise MessageConflict("not_owner", text, current_state=State.RESERVED)
    if values["token"] != (checkguid and checkguid.upper()) and not values["is_for_service"]:
        raise TokenLost(f"The token does not match the reservation of message {guid}.")
    return guid


# The most messages of one batch.
MAX_IN_BATCH = 100
Refusal = InvalidParameter | MessageNotFound | MessageConflict | TokenLost


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of one message in a batch. Its values are those of `dispatch_message`."""

    guid: str
    reason: str
    token: str | None = None


def dispatch_many(*, service: str, results: Sequence[Result]) -> list[Dispatched | Refusal]:
    """
    Record the results of up to MAX_IN_BATCH messages that a service holds.

    Each has its own result: a refused one is returned as what `dispatch_message` would raise, in its place,
    and does not prevent the others. The accepted ones are committed together.

    Raises:
        InvalidParameter: the name of the service is invalid, or there are too many messages.
    """
    parameters.service_name(service)
    if len(results) > MAX_IN_BATCH:
        text = f"messages must have at most {MAX_IN_BATCH} entries."
        raise InvalidParameter("messages", "too_many", text)
    ended: dict[int, Dispatched | Refusal] = {}
    valid: dict[int, Result] = {}
    for place, result in enumerate(results):
        try:
            valid[place] = replace(
                result,
                guid=parameters.stored_guid(result.guid),
                reason=parameters.dispatch_reason(result.reason),
            )
        except InvalidParameter as refusal:
            ended[place] = refusal
    if valid:
        ended |= _dispatch_valid(service, valid)
    for place in valid.keys() - ended.keys():
        ended[place] = _dispatched_or_refused(service, valid[place])
    return [ended[place] for place in range(len(results))]


def _dispatch_valid(service: str, valid: dict[int, Result]) -> dict[int, Dispatched]:
    """Dispatch by one statement, and return what was accepted, by place."""
    places, results = list(valid), list(valid.values())
    values = {
        "service": service,
        "guids": [result.guid for result in results],
        "reasons": [result.reason for result in results],
        "tokens": [result.token and result.token.upper() for result in results],
        "ends": [states.ended_as(result.reason) for result in results],
        "retried": [states.is_retry(result.reason) for result in results],
        "delays": retry_delays(),
    }
    return {
        places[number - 1]: Dispatched(
            guid=results[number - 1].guid, outcome=Outcome(outcome), attempts=attempts, not_before=not_before
        )
        for number, outcome, attempts, not_before in statements.fetch_rows("dispatch_many", values)
    }


def _dispatched_or_refused(service: str, result: Result) -> Dispatched | Refusal:
    """Dispatch again what the statement refused: another spelling of its GUID may be stored."""
    try:
        return dispatch_message(guid=result.guid, service=service, reason=result.reason, token=result.token)
    except (InvalidParameter, MessageNotFound, MessageConflict, TokenLost) as refusal:
        return refusal


# Of one call. A dead service holds a few messages; a second call takes further ones.
MAX_AT_ONCE = 1_000
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
    Dispatch everything that a dead service holds with one reason; at most MAX_AT_ONCE messages.

    Args:
        reason: OK, RETRY, or what went wrong.
        why: for the audit.
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
        done: dict[str, Outcome] = {}
        for (guid,) in statements.fetch_rows("held", values):
            try:
                done[guid] = dispatch_as_service(
                    guid=guid, service=service, reason=reason, actor=actor
                ).outcome
            except (MessageNotFound, MessageConflict):
                continue
        outcomes = Counter(done.values())
        details = {"service": service, "reason": reason[:200], "messages": list(done)[:_NAMED]}
        counts = {str(outcome): number for outcome, number in outcomes.items()}
        audit.record_entry(
            actor=actor, action="dispatch_cp_service", reason=why, details=details | {"dispatched": counts}
        )
    return dict(outcomes)
