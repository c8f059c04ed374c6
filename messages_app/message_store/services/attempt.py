"""
Attempts at one message, or at several that are written together.

Source: docs/contributing/spec/message_store.md, "Processing".

Reading and checking run outside a transaction; references, records, post-processing and the end are one.
"""

import logging
import time
from collections import deque
from collections.abc import Sequence
from functools import cache, partial

from django.db import InterfaceError, OperationalError, connection, transaction

from messages_app.core.statements import Statements
from messages_app.core.time_budget import TimeIsOver, work_limit
from messages_app.message_store.errors import Overtaken
from messages_app.message_store.extensions import Ending, Written, argument_of, is_error, processors
from messages_app.message_store.services import end, record_versions
from messages_app.message_store.services.begin import ClaimedMessage, is_known, take_one
from messages_app.message_store.services.definitions import definition_of
from messages_app.message_store.services.end import Ended, Outcome
from messages_app.message_store.services.reading import (
    FindDefinition,
    Reading,
    Unreadable,
    failed_outcome,
    read_message,
)
from messages_app.message_store.services.record_versions import Change, Writing
from messages_app.message_store.services.records import Key, columns_of_keys
from messages_app.shared.store_states import Status

statements = Statements("messages_app.message_store")


# Wakes messages whose missing record has arrived: their next attempt is now. Called after the commit, by the
# writer of a record and by an attempt that missed one: whichever commits last sees the other, so no message
# waits longer than necessary. A crash in between leaves the waiting time. A message that is too old (26)
# stays until an operator reprocesses it (docs/contributing/spec/message_store.md, "Hard cases" case 21).
# In one statement; there may be any number.
_BATCH = 5_000


def wake_waiting(keys: Sequence[Key]) -> int:
    """Make messages due now that lacked only these records; return their number."""
    values = {**columns_of_keys(keys), "limit": _BATCH}
    woken = 0
    while count := statements.count("wake_waiting", values):
        woken += count
        if count < _BATCH:
            break
    return woken


def wake_resolved(identifiers: Sequence[str]) -> None:
    """Make messages due now whose missing records arrived while their attempts ended."""
    statements.count("wake_resolved", {"identifiers": identifiers})


logger = logging.getLogger(__name__)
# Errors of attempts that the database ended in favour of another.
_TRIES = 3
_DEADLOCK, _SERIALIZATION = "40P01", "40001"
# After this time of reading, the part of a batch that was read is written.
_READ_SECONDS = 1.0


class AttemptTookTooLong(TimeIsOver):
    """An attempt exceeded its time limit."""


def process_message(identifier: str, *, seconds: float | None = None) -> Outcome | None:
    """
    Process one waiting message now. Returns None if another worker has it, or it does not wait.

    For an unknown identifier the outcome is 21, and nothing is written
    (docs/contributing/spec/message_store.md, "Hard cases" case 18).

    Args:
        seconds: its time limit; after that none of its changes are written, and it waits for the monitor.
    """
    claim = take_one(identifier)
    if claim is not None:
        return finish_attempt(claim) if seconds is None else _attempt_in_time(claim, seconds)
    if is_known(identifier):
        return None
    return Outcome(status=Status.MESSAGE_NOT_FOUND, errors=["The store has no such message."])


def _attempt_in_time(claim: ClaimedMessage, seconds: float) -> Outcome | None:
    try:
        with work_limit(seconds, error=AttemptTookTooLong):
            return finish_attempt(claim)
    except AttemptTookTooLong:
        _give_back(claim, f"It took longer than {seconds:g} seconds, and waits for the monitor.")
        return None


def attempt_many(batch: Sequence[ClaimedMessage]) -> None:
    """
    Finish the attempts of taken messages, in order: each ends as `finish_attempt` would end it.

    Their definitions and references are looked up together, and they are committed together. If that fails,
    each is attempted separately.
    """
    waiting = deque(batch)
    find = cache(definition_of)
    while waiting:
        readings = _read_for_a_while(waiting, find) if len(waiting) > 1 else []
        if len(readings) > 1 and _end_together(readings):
            continue
        for claim in [reading.claim for reading in readings] or [waiting.popleft()]:
            finish_attempt(claim)


def _read_for_a_while(waiting: deque[ClaimedMessage], find: FindDefinition) -> list[Reading | Unreadable]:
    """Read the next messages, until one cannot be read."""
    readings: list[Reading | Unreadable] = []
    stop = time.monotonic() + _READ_SECONDS
    while waiting and time.monotonic() < stop:
        try:
            readings.append(read_message(waiting[0], find))
        except (OperationalError, InterfaceError):
            break
        waiting.popleft()
    return readings


def _end_together(readings: Sequence[Reading | Unreadable]) -> bool:
    """End the attempts in one transaction; return False if this failed."""
    try:
        _apply_readings(readings)
    except Exception as error:
        logger.info("%s messages are attempted one by one: %s", len(readings), _first_line(error))
        _drop_broken_connection()
        return False
    return True


def finish_attempt(claim: ClaimedMessage) -> Outcome | None:
    """Finish the attempt of a taken message. Returns None if it was overtaken or given back."""
    try:
        return _attempt_repeatedly(claim)
    except Overtaken as overtaken:
        logger.warning("%s", overtaken)
        return None
    except (OperationalError, InterfaceError) as error:
        # A fault of the database, not of the message: another attempt may succeed.
        logger.exception("The database ended the attempt of %s.", claim.identifier)
        _give_back(claim, f"The database ended the attempt: {_first_line(error)}")
        return None


def _give_back(claim: ClaimedMessage, why: str) -> None:
    _drop_broken_connection()
    try:
        end.give_back(claim, why)
    except (OperationalError, InterfaceError):
        logger.exception("%s stays taken until its timeout.", claim.identifier)


def _drop_broken_connection() -> None:
    if not connection.in_atomic_block and not connection.is_usable():
        connection.close()


def _attempt_repeatedly(claim: ClaimedMessage) -> Outcome:
    reading = read_message(claim)
    try:
        for _ in range(_TRIES - 1):
            try:
                return _apply_readings([reading])
            except OperationalError as error:
                if getattr(error.__cause__, "sqlstate", None) not in (_DEADLOCK, _SERIALIZATION):
                    raise
        return _apply_readings([reading])
    except (Overtaken, OperationalError, InterfaceError):
        raise
    except Exception as error:
        failed = Unreadable(claim=claim, log=reading.log, outcome=failed_outcome(claim, error))
    return _apply_readings([failed])


def _apply_readings(readings: Sequence[Reading | Unreadable]) -> Outcome:
    """
    Write the records of messages, or note the missing ones, and end their attempts, in one transaction.

    Returns:
        The outcome of the last one.
    """
    with transaction.atomic():
        missing = record_versions.missing_references([reading.records for reading in readings])
        pairs = list(zip(readings, missing, strict=True))
        waiting = [(reading.claim, keys) for reading, keys in pairs if keys]
        complete = [reading for reading, keys in pairs if isinstance(reading, Reading) and not keys]
        changes, waits = iter(_write_records(complete)), iter(end.outcomes_of_waiting(waiting))
        ends = []
        for reading, keys in pairs:
            if isinstance(reading, Unreadable):
                ends.append(Ended(reading.claim, reading.outcome, reading.log))
            elif keys:
                ends.append(Ended(reading.claim, next(waits), reading.log))
            else:
                ends.append(_post_process(reading, next(changes)))
        _wake_after_commit(complete, waiting)
        end.finish_attempts(ends)
    return ends[-1].outcome


def _write_records(readings: Sequence[Reading]) -> list[Change]:
    if not readings:
        return []
    writings = [Writing(reading.claim, reading.definition.entity, reading.records) for reading in readings]
    record_versions.lock_records(writings)
    return record_versions.write_records(writings)


def _wake_after_commit(
    complete: Sequence[Reading], waiting: Sequence[tuple[ClaimedMessage, Sequence[Key]]]
) -> None:
    # The records stay even if the processor ends the message in an error.
    if keys := [record.key for reading in complete for record in reading.records]:
        transaction.on_commit(partial(wake_waiting, keys))
    if identifiers := [claim.identifier for claim, _ in waiting]:
        transaction.on_commit(partial(wake_resolved, identifiers))


def _post_process(reading: Reading, change: Change) -> Ended:
    """
    Run the processor. If it fails, the records stay written (docs/contributing/spec/message_store.md, "Hard
    cases" case 20).
    """
    log = [
        *reading.log,
        f"{change.written} versions written, {change.ended} ended by refresh,"
        f" {change.taken_back} taken back.",
    ]
    return Ended(reading.claim, _outcome_of_processor(reading, log), log)


def _outcome_of_processor(reading: Reading, log: list[str]) -> Outcome:
    definition = reading.definition
    if not definition.processor:
        return Outcome(status=Status.PROCESSED)
    written = Written(
        identifier=reading.claim.identifier,
        system=definition.system,
        entity=definition.entity,
        options=reading.options,
        records=[(record.key.entity, record.key.text, record.data) for record in reading.records],
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
    return _outcome_of_ending(definition.processor, ending)


def _outcome_of_ending(name: str, ending: object) -> Outcome:
    if ending is None:
        return Outcome(status=Status.PROCESSED)
    if isinstance(ending, Ending) and is_error(ending.status):
        return Outcome(status=ending.status, errors=[str(ending.message) or f"The processor {name} says so."])
    text = f"The processor {name} must return None, or an Ending with error 20 or higher."
    return Outcome(status=Status.GENERAL_ERROR, errors=[text])


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
