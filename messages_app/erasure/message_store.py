"""
The message store: messages that have the key as identifier, or wrote a record with the key.

A message is erased with its attempts, its file and the versions that it wrote of the subject's records.
Versions of other subjects' records stay.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from messages_app.core.statements import Statements
from messages_app.erasure.incidents import forget_items
from messages_app.erasure.rows import Values, delete_rows, ids_of, valid_numbers
from messages_app.erasure.run import ErasedKeys, Erasure
from messages_app.jobs.kinds.registry import kinds_of
from messages_app.message_store.file_store import PathRefused, path_of
from messages_app.shared.job_states import StoreName
from messages_app.shared.store_states import StatusClass, class_of, name_of

statements = Statements("messages_app.erasure")


PLACE = "message_store"
_IS_IT = "message_identifier = %(identifier)s"
_TO_DO = frozenset({StatusClass.WAITING, StatusClass.IN_WORK})
# Triggers remove the line with the last of these.
_OF_MESSAGE = ("unresolved_reference", "archive_message_history", "message_history", "message_process", PLACE)


def erase_subject(erasure: Erasure) -> None:
    """Erase the messages of the key. Messages that are still to be processed stay."""
    key = erasure.key
    for identifier in ids_of("found_stored", {"key": key.value, "record_keys": key.record_keys}):
        if not erasure.attempt_step(partial(_erase_rows, erasure, identifier)):
            erasure.leave(PLACE, identifier, "it is locked or has changed: run this again")


def _erase_rows(erasure: Erasure, identifier: str) -> None:
    values = {"identifier": identifier, "record_keys": erasure.key.record_keys}
    values["kinds"] = list(kinds_of(StoreName.MESSAGE_STORE))
    with erasure.step() as erased:
        number, status, file_path, job_id = statements.fetch_row("look_at_stored", values) or (None,) * 4
        if why := _why_kept(number, status, job_id):
            erasure.leave(PLACE, identifier, why)
            return
        _erase_records(erasure, erased, values)
        for table in _OF_MESSAGE:
            gone = delete_rows(table, "message_identifier", _IS_IT, values)
            # Named by its number, because the identifier may be the key.
            erased.add(table, [number] * len(gone))
        erased.add("message_line", delete_rows("message_line", "number", _IS_IT, values))
        forget_items(erased, PLACE, [identifier])
        if file_path and not erasure.dry_run:
            _remove_file(file_path)


def _why_kept(number: int | None, status: int | None, job_id: int | None) -> str:
    if job_id is not None:
        return f"job {job_id} includes it: wait for that job, or stop it"
    if number is not None and status is not None and class_of(status) in _TO_DO:
        return f"it is {name_of(status)}: wait until it is processed, or has failed permanently"
    return ""


def _erase_records(erasure: Erasure, erased: ErasedKeys, values: Mapping[str, object]) -> None:
    is_key = values["identifier"] == erasure.key.value
    of_subject = "source_message = %(identifier)s" + (
        "" if is_key else " AND record_key = ANY (%(record_keys)s)"
    )
    gone = delete_rows("target_record", "entity", of_subject, values)
    erased.add("target_record", gone)
    if is_key:
        erased.add("entity_refresh", ids_of("forget_refreshes", values))


def _remove_file(file_path: str) -> None:
    """Remove a message's file before the commit, because after it no row refers to the file."""
    try:
        path_of(file_path).unlink(missing_ok=True)
    except PathRefused:
        return  # it is gone, or not in the file store


def _read_stored_values(rows: Sequence[object]) -> Values:
    for value in ids_of("values_of_stored", {"ids": valid_numbers(rows)}):
        yield value
        yield from _fields_of(value)


def _fields_of(record_key: str) -> Iterator[str]:
    """Yield what a record's key of one field is made of."""
    try:
        parts = json.loads(record_key)
    except ValueError:
        return
    if isinstance(parts, list) and len(parts) == 1:
        yield str(parts[0])


READERS = {"message_store": _read_stored_values, "message_line": _read_stored_values}
