"""
One attempt at one message.

Source: docs/spec/message_store.md, "Processing".

Reading and checking run outside a transaction; references, records, post-processing and the end are one.
"""

import logging
from collections.abc import Mapping, Sequence
from functools import partial

from django.db import InterfaceError, OperationalError, connection, transaction

from messages_app.core.statements import Statements
from messages_app.core.time_budget import TimeIsOver, work_limit
from messages_app.message_store.errors import AttemptFailed, Overtaken
from messages_app.message_store.extensions import Ending, Written, argument_of, ends_in_error, processors
from messages_app.message_store.models import SourceDefinition
from messages_app.message_store.services import end, record_versions
from messages_app.message_store.services.begin import ClaimedMessage, is_known, take_one
from messages_app.message_store.services.definitions import definition_of, options_of, rows_of
from messages_app.message_store.services.end import Outcome
from messages_app.message_store.services.records import Key, Record, records_of
from messages_app.shared.store_states import Status

statements = Statements("messages_app.message_store")


# Wakes messages whose missing record has arrived: their next attempt is now. Called after the commit, by the
# writer of a record and by an attempt that missed one: whichever commits last sees the other, so no message
# waits longer than necessary. A crash in between leaves the waiting time. A message that is too old (26)
# stays until an operator reprocesses it (docs/spec/message_store.md, "Hard cases" case 21).


# In one statement; there may be any number.
_BATCH = 5_000


def wake_waiting(keys: Sequence[Key]) -> int:
    """Make messages due now that lacked only these records; return their number."""
    values = {"entities": [key.entity for key in keys], "keys": [key.text for key in keys], "limit": _BATCH}
    woken = 0
    while found := statements.count("wake_waiting", values):
        woken += found
        if found < _BATCH:
            break
    return woken


def wake_if_resolved(identifier: str) -> None:
    """Make a message due now if its missing records arrived while its attempt ended."""
    statements.count("wake_one", {"identifier": identifier})


logger = logging.getLogger(__name__)
# Errors of attempts that the database ended in favour of another.
_TRIES = 3
_DEADLOCK, _SERIALIZATION = "40P01", "40001"


class AttemptTookTooLong(TimeIsOver):
    """An attempt exceeded its time limit."""


def process_message(identifier: str, *, seconds: float | None = None) -> Outcome | None:
    """
    Process one waiting message now. Returns None if another worker has it, or it does not wait.

    For an unknown identifier the outcome is 21, and nothing is written (docs/spec/message_store.md, "Hard
    cases" case 18).

    Args:
        seconds: its time limit; after that none of its changes are written, and it waits for the monitor.
    """
    taken = take_one(identifier)
    if taken is not None:
        return attempt(taken) if seconds is None else _attempt_in_time(taken, seconds)
    if is_known(identifier):
        return None
    return Outcome(status=Status.MESSAGE_NOT_FOUND, errors=["The store has no such message."])


def _attempt_in_time(taken: ClaimedMessage, seconds: float) -> Outcome | None:
    try:
        with work_limit(seconds, error=AttemptTookTooLong):
            return attempt(taken)
    except AttemptTookTooLong:
        _give_back(taken, f"It took longer than {seconds:g} seconds, and waits for the monitor.")
        return None


def attempt(taken: ClaimedMessage) -> Outcome | None:
    """Finish the attempt of a taken message. Returns None if it was overtaken or given back."""
    log = [f"Attempt of {taken.started_at.isoformat()}."]
    try:
        outcome = _attempt(taken, log)
    except Overtaken as overtaken:
        logger.warning("%s", overtaken)
        return None
    except (OperationalError, InterfaceError) as error:
        # A fault of the database, not of the message: another attempt may succeed.
        logger.exception("The database ended the attempt of %s.", taken.identifier)
        _give_back(taken, f"The database ended the attempt: {_first_line(error)}")
        return None
    if outcome.missing:
        transaction.on_commit(partial(wake_if_resolved, taken.identifier))
    return outcome


def _give_back(taken: ClaimedMessage, why: str) -> None:
    if not connection.in_atomic_block and not connection.is_usable():
        connection.close()
    try:
        end.give_back(taken, why)
    except (OperationalError, InterfaceError):
        logger.exception("%s stays taken until its timeout.", taken.identifier)


def _attempt(taken: ClaimedMessage, log: list[str]) -> Outcome:
    try:
        definition, options, records = read_records(taken, log)
        for _ in range(_TRIES - 1):
            try:
                return _apply(taken, definition, options, records, list(log))
            except OperationalError as error:
                if getattr(error.__cause__, "sqlstate", None) not in (_DEADLOCK, _SERIALIZATION):
                    raise
        return _apply(taken, definition, options, records, list(log))
    except AttemptFailed as failure:
        outcome = Outcome(status=failure.status, errors=failure.errors)
    except (Overtaken, OperationalError, InterfaceError):
        raise
    except Exception as error:
        logger.exception("The attempt of %s failed.", taken.identifier)
        outcome = Outcome(status=Status.GENERAL_ERROR, errors=[f"{type(error).__name__}: {error}"])
    with transaction.atomic():
        end.finish(taken, outcome, log)
    return outcome


def read_records(
    taken: ClaimedMessage, log: list[str]
) -> tuple[SourceDefinition, Mapping[str, object], list[Record]]:
    """
    Return how a message is read, its options and its records.

    Raises:
        AttemptFailed: 21 to 25, with every error.
    """
    if not taken.is_stored:
        raise AttemptFailed(Status.MESSAGE_NOT_FOUND, ["The store has no such message."])
    options = options_of(taken)
    definition = definition_of(taken.system, taken.entity)
    log.append(f"Read as {definition.entity} of {definition.system}.")
    records = records_of(definition, rows_of(taken, definition, options))
    log.append(f"{len(records)} records read.")
    return definition, options, records


def _apply(
    taken: ClaimedMessage,
    definition: SourceDefinition,
    options: Mapping[str, object],
    records: Sequence[Record],
    log: list[str],
) -> Outcome:
    """Write the records, or note the missing ones, and end the attempt."""
    with transaction.atomic():
        missing = record_versions.missing_references(records)
        if missing:
            outcome = end.waiting(taken, missing)
        else:
            record_versions.lock(taken, definition.entity, records)
            change = record_versions.write(taken, definition.entity, records)
            log.append(
                f"{change.written} versions written, {change.ended} ended by refresh,"
                f" {change.taken_back} taken back."
            )
            outcome = _post_process(taken, definition, options, records, log)
            # The records stay even if the processor ends the message in an error.
            transaction.on_commit(partial(wake_waiting, [record.key for record in records]))
        end.finish(taken, outcome, log)
    return outcome


def _post_process(
    taken: ClaimedMessage,
    definition: SourceDefinition,
    options: Mapping[str, object],
    records: Sequence[Record],
    log: list[str],
) -> Outcome:
    """
    Run the processor. If it fails, the records stay written (docs/spec/message_store.md, "Hard cases" case
    20).
    """
    if not definition.processor:
        return Outcome(status=Status.PROCESSED)
    written = Written(
        identifier=taken.identifier,
        system=definition.system,
        entity=definition.entity,
        options=options,
        records=[(record.key.entity, record.key.text, record.data) for record in records],
        argument=argument_of(definition.processor),
    )
    try:
        with transaction.atomic():
            ending = processors.find(definition.processor)(written)
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:
        logger.exception("The processor %s failed.", definition.processor)
        log.append(f"The processor {definition.processor} failed.")
        return Outcome(status=Status.GENERAL_ERROR, errors=[f"{type(error).__name__}: {error}"])
    log.append(f"The processor {definition.processor} has run.")
    return _end(definition.processor, ending)


def _end(name: str, ending: object) -> Outcome:
    if ending is None:
        return Outcome(status=Status.PROCESSED)
    if isinstance(ending, Ending) and ends_in_error(ending.status):
        return Outcome(status=ending.status, errors=[str(ending.message) or f"The processor {name} says so."])
    text = f"The processor {name} must return None or an Ending in an error of 20 or more."
    return Outcome(status=Status.GENERAL_ERROR, errors=[text])


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
