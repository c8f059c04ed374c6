"""
Reading a taken message: its definition, its options, and its records, which are checked.

Source: docs/contributing/spec/message_store.md, "Processing" steps 2 and 3.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.db import InterfaceError, OperationalError

from messages_app.message_store.errors import AttemptFailed
from messages_app.message_store.models import SourceDefinition
from messages_app.message_store.services.begin import ClaimedMessage
from messages_app.message_store.services.definitions import definition_of, options_of, rows_of
from messages_app.message_store.services.end import Outcome
from messages_app.message_store.services.records import Record, records_of
from messages_app.shared.store_states import Status

logger = logging.getLogger(__name__)

# definition_of, or one that remembers what it found.
FindDefinition = Callable[[str | None, str | None], SourceDefinition]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The contents of a message, with the lines of its log."""

    claim: ClaimedMessage
    log: Sequence[str]
    definition: SourceDefinition
    options: Mapping[str, object]
    records: Sequence[Record]


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """A message that ends in an error, with the lines of its log before the errors."""

    claim: ClaimedMessage
    log: Sequence[str]
    outcome: Outcome
    records: Sequence[Record] = ()


def read_message(claim: ClaimedMessage, find: FindDefinition = definition_of) -> Reading | Unreadable:
    """
    Return what an attempt writes.

    Raises:
        django.db.OperationalError, django.db.InterfaceError: a fault of the database, not of the message.
    """
    log = [f"Attempt of {claim.started_at.isoformat()}."]
    try:
        return _read_records(claim, log, find)
    except AttemptFailed as failure:
        outcome = Outcome(status=failure.status, errors=failure.errors)
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:
        outcome = failed_outcome(claim, error)
    return Unreadable(claim=claim, log=log, outcome=outcome)


def failed_outcome(claim: ClaimedMessage, error: Exception) -> Outcome:
    """Return the end of an attempt in which a defect raised this error, and log it."""
    logger.exception("The attempt of %s failed.", claim.identifier)
    return Outcome(status=Status.GENERAL_ERROR, errors=[f"{type(error).__name__}: {error}"])


def _read_records(claim: ClaimedMessage, log: list[str], find: FindDefinition) -> Reading:
    if not claim.is_stored:
        raise AttemptFailed(Status.MESSAGE_NOT_FOUND, ["The store has no such message."])
    options = options_of(claim)
    definition = find(claim.system, claim.entity)
    log.append(f"Read as {definition.entity} of {definition.system}.")
    records = records_of(definition, rows_of(claim, definition, options))
    log.append(f"{len(records)} records read.")
    return Reading(claim=claim, log=log, definition=definition, options=options, records=records)
