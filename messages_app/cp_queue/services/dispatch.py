"""
Dispatch: a service reports the results of messages that it holds.

RETRY keeps the message and frees it, with `created` as it is. It waits in a side table, longer after each
attempt, so that older messages get their turn; after the last attempt it waits until an operator sends it on.
Any other reason removes it. A message that is unknown, free or held by another service is refused; a second
dispatch of the same message finds nothing, which does no harm.

Source: docs/contributing/spec/cp_queue.md, "Decisions".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings

from messages_app.audit.services import Actor
from messages_app.core.statements import Statements
from messages_app.cp_queue import parameters, states
from messages_app.cp_queue.errors import MessageConflict, MessageNotFound, TokenLost
from messages_app.cp_queue.guids import guid_in_queue
from messages_app.cp_queue.models import CpMessage
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.states import Outcome, State

statements = Statements("messages_app.cp_queue")


# The cause of a refused first attempt may be gone when it is examined.
_TRIES = 3
# The most messages of one batch.
MAX_IN_BATCH = 100
Refusal = InvalidParameter | MessageNotFound | MessageConflict | TokenLost


@dataclass(frozen=True, kw_only=True)
class Result:
    """
    The report of a service on one message.

    Args:
        reason: OK, RETRY, or an error text.
        token: of a fenced reservation.
    """

    guid: str
    reason: str
    token: str | None = None


@dataclass(frozen=True, kw_only=True)
class Dispatched:
    """
    The result of a dispatch.

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

    Raises:
        InvalidParameter: a parameter is invalid.
        MessageNotFound: no message has the GUID.
        MessageConflict: not_reserved, no service holds it; not_owner, another service does.
        TokenLost: the reservation is not the token's, or is fenced and no token was given.
    """
    return dispatch_result(parameters.service_name(service), Result(guid=guid, reason=reason, token=token))


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
            valid[place] = _check_result(result)
        except InvalidParameter as refusal:
            ended[place] = refusal
    ended |= dispatch_results(service, valid)
    for place in valid.keys() - ended.keys():
        # Again, because another spelling of its GUID may be stored.
        try:
            ended[place] = dispatch_result(service, valid[place])
        except (InvalidParameter, MessageNotFound, MessageConflict, TokenLost) as refusal:
            ended[place] = refusal
    return [ended[place] for place in range(len(results))]


def dispatch_result(service: str, result: Result, *, actor: Actor | None = None) -> Dispatched:
    """
    Dispatch one message of a service with a valid name.

    Args:
        actor: the person who dispatches for the service, without a token; the caller audits it.

    Raises: as dispatch_message.
    """
    result = _check_result(result)
    for _ in range(_TRIES):
        # Its own statement, because this runs for each message of each service.
        is_retried = states.is_retry(result.reason)
        values = {
            "guid": result.guid,
            "reason": result.reason,
            "token": result.token,
            "ended_as": states.ended_as(result.reason),
            "delays": retry_delays() if is_retried else None,
        }
        row = statements.fetch_row("dispatch", values | _values_of(service, actor), prepare=True)
        if row is not None:
            return _make_dispatched(result, *row)
        guid = _refuse_dispatch(service, result, is_for_service=actor is not None)
        result = replace(result, guid=guid)
    raise MessageNotFound(result.guid)


def _check_result(result: Result) -> Result:
    # Get-next returns GUIDs as they are stored; any other spelling costs a second attempt.
    guid, reason = parameters.stored_guid(result.guid), parameters.dispatch_reason(result.reason)
    return Result(guid=guid, reason=reason, token=result.token and result.token.upper())


def dispatch_results(
    service: str, results: Mapping[int, Result], *, actor: Actor | None = None
) -> dict[int, Dispatched]:
    """
    Dispatch messages with valid results by one statement; return the accepted ones by their keys.

    Args:
        actor: as for dispatch_result.
    """
    if not results:
        return {}
    places, valid = list(results), list(results.values())
    values = {
        "guids": [result.guid for result in valid],
        "reasons": [result.reason for result in valid],
        "tokens": [result.token for result in valid],
        "ends": [states.ended_as(result.reason) for result in valid],
        "retried": [states.is_retry(result.reason) for result in valid],
        "delays": retry_delays(),
    }
    rows = statements.fetch_rows("dispatch_many", values | _values_of(service, actor))
    return {places[number - 1]: _make_dispatched(valid[number - 1], *row) for number, *row in rows}


def _values_of(service: str, actor: Actor | None) -> dict[str, object]:
    actor_name = actor.username if actor else ""
    return {"service": service, "is_for_service": actor is not None, "actor": actor_name}


def _make_dispatched(result: Result, outcome: str, attempts: int, not_before: datetime | None) -> Dispatched:
    return Dispatched(guid=result.guid, outcome=Outcome(outcome), attempts=attempts, not_before=not_before)


def retry_delays() -> list[float]:
    """Return the seconds to wait after each attempt except the last."""
    first, longest = settings.CP_RETRY_SECONDS, settings.CP_LONGEST_RETRY_SECONDS
    attempts = range(1, settings.CP_MAX_ATTEMPTS)
    return [states.delay_seconds(number, first=first, longest=longest) for number in attempts]


def _refuse_dispatch(service: str, result: Result, *, is_for_service: bool) -> str:
    """Raise the reason why nothing was changed, or return the stored GUID to dispatch."""
    guid = guid_in_queue(result.guid)
    if guid != result.guid:
        return guid
    row = CpMessage.objects.filter(pk=guid).values_list("lock_service", "checkguid").first()
    if row is None:
        raise MessageNotFound(guid)
    holder, checkguid = row
    if holder is None:
        text = f"Message {guid} is not reserved. It was reset, or never picked up."
        raise MessageConflict("not_reserved", text, current_state=State.FREE)
    if holder != service:
        text = f"Another service holds message {guid}."
        raise MessageConflict("not_owner", text, current_state=State.RESERVED)
    if result.token != (checkguid and checkguid.upper()) and not is_for_service:
        raise TokenLost(f"The token does not match the reservation of message {guid}.")
    return guid
