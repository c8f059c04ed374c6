"""
The pass over new messages: it extracts their keys every few seconds, one pass at a time.

It reads the hub's messages by their primary key, neither locks nor writes them, and has no trigger. Values,
counts and position commit together, so a worker that dies loses nothing, and no message is counted twice.

Source: docs/how_it_works/business_keys.md, "New messages".
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import NamedTuple

from django.db import connection, transaction

from messages_app.audit.digests import subject_keys
from messages_app.core.clock import time_limit
from messages_app.core.statements import Statements
from messages_app.core.transaction_locks import TransactionLock
from messages_app.shared.erased_values import find_erased
from messages_app.shared.key_extraction import Extract, Fault, Path, extract_values
from messages_app.shared.xml_parsing import CHECKED_BYTES

statements = Statements("messages_app.business_keys")
PASS = TransactionLock("hubconsole business_key pass")
shared_statements = Statements("messages_app.shared")

# The maximum number of new messages of a step, and the bytes of payloads that it holds at the same time.
MAX_MESSAGES = 1_000
MAX_BYTES = 16_000_000
# Messages before the highest id that are looked for again in each step: a hub may take an id before others,
# and commit it after them.
RECENT = 2_000
_SECONDS = 3.0
_MAX_MS = 20_000
_MAX_DELETED = 5_000

Operation = tuple[str, str]


class OtherPass(Exception):
    """Another pass has moved the position meanwhile; nothing was written."""


class _Position(NamedTuple):
    front: int
    safe: int
    mark: int
    is_over: bool


class _NewMessage(NamedTuple):
    msg_id: int
    service_name: str
    operation_name: str
    receive_timestamp: datetime
    payload: str | None


class KeyRow(NamedTuple):
    """A row of the table of values."""

    definition_id: int
    value: str
    msg_id: int
    receive_timestamp: datetime


@dataclass
class _Counts:
    """The messages and faults of one definition in a step, with the last fault."""

    read: int = 0
    faults: Counter[Fault] = field(default_factory=Counter)
    problem: str | None = None
    msg_id: int | None = None


def extract_new_keys(*, seconds: float = _SECONDS, most: int = MAX_MESSAGES) -> int:
    """
    Extract the keys of new messages, and return the number of messages that were read.

    Args:
        seconds: repeat steps for this long while there is more to read.
        most: the maximum number of new messages of a step.
    """
    until, messages = monotonic() + seconds, 0
    while (step := _pass_once(most)) is not None:
        read, is_behind = step
        messages += read
        if not is_behind or monotonic() > until:
            break
    _remove_deleted()
    return messages


def _pass_once(most: int) -> tuple[int, bool] | None:
    """
    Read some messages in one transaction. Return their number and whether there are more; None: another
    process does this now.
    """
    with transaction.atomic(), time_limit(_MAX_MS):
        if not PASS.try_acquire():
            return None
        shared_statements.fetch_row("hold_keys", {})
        at = _read_position()
        if at is None:
            statements.count("start_pass", {})
            return 0, False
        msg_ids, front, is_behind = _choose_messages(at, most)
        if msg_ids:
            _read_messages(msg_ids)
        _move_position(at, front, is_full=is_behind)
    return len(msg_ids), is_behind


def _read_position() -> _Position | None:
    row = statements.fetch_row("position_of_pass", {})
    return None if row is None else _Position(*row)


def _choose_messages(at: _Position, most: int) -> tuple[list[int], int, bool]:
    """
    Return the ids of messages to read, the highest id afterwards, and whether there are more.

    Payloads are chosen by their sizes before they are read, so that a step needs a limited amount of memory.
    """
    late_until = at.mark if at.is_over else at.safe
    values = {"front": at.front, "safe": at.safe, "late_until": late_until, "most": most, "recent": RECENT}
    chosen: list[int] = []
    front, size, is_behind = at.front, 0, False
    for msg_id, payload_bytes in statements.fetch_rows("messages_to_read", values):
        if payload_bytes < 0:
            front, is_behind = msg_id, -payload_bytes >= most
            continue
        size += payload_bytes if payload_bytes <= CHECKED_BYTES else 0
        if chosen and size > MAX_BYTES:
            return chosen, max(at.front, chosen[-1]), True
        chosen.append(msg_id)
    return chosen, front, is_behind


def _read_messages(msg_ids: Sequence[int]) -> None:
    """Store the keys of messages, and count their faults."""
    values = {"msg_ids": list(msg_ids), "largest": CHECKED_BYTES}
    messages = [_NewMessage(*row) for row in statements.fetch_rows("payloads", values)]
    # Read after the messages, so that no definition is missed that is older than one of them.
    paths = read_paths()
    rows: list[KeyRow] = []
    counts: dict[int, _Counts] = defaultdict(_Counts)
    for message in messages:
        own_paths = paths.get((message.service_name, message.operation_name), ())
        extract = extract_values(message.payload, own_paths)
        rows += make_rows(extract, message.msg_id, message.receive_timestamp)
        for path in own_paths:
            _count_message(counts[path.key], message.msg_id, extract.problems.get(path.key))
    write_rows(rows)
    statements.count("count_faults", _count_columns(counts))
    statements.count("note_read", {"msg_ids": list(msg_ids)})


def read_paths() -> Mapping[Operation, Sequence[Path]]:
    """Return the paths of the active definitions, by service and operation."""
    paths: dict[Operation, list[Path]] = defaultdict(list)
    for key, service_name, operation_name, path in statements.fetch_rows("active_definitions", {}):
        paths[service_name, operation_name].append(Path(key, path))
    return paths


def make_rows(extract: Extract, msg_id: int, received: datetime) -> list[KeyRow]:
    """Return the rows for the values of one message."""
    return [
        KeyRow(key, value, msg_id, received) for key, values in extract.values.items() for value in values
    ]


def write_rows(rows: Sequence[KeyRow]) -> int:
    """
    Store values in the caller's transaction, each once and no erased ones. Return the number of new ones.
    """
    with connection.cursor() as cursor:
        erased = find_erased(cursor, {row.value for row in rows}, own_keys=subject_keys())
    rows = [row for row in rows if row.value not in erased]
    if not rows:
        return 0
    definitions, values, msg_ids, times = map(list, zip(*rows, strict=True))
    shared_statements.fetch_rows("make_key_months", {"times": times})
    columns = {"definitions": definitions, "values": values, "msg_ids": msg_ids, "times": times}
    return shared_statements.count("write_keys", columns)


def _count_message(counts: _Counts, msg_id: int, problem: tuple[Fault, str] | None) -> None:
    counts.read += 1
    if problem:
        fault, counts.problem = problem
        counts.faults[fault] += 1
        counts.msg_id = msg_id


def _count_columns(counts: Mapping[int, _Counts]) -> dict[str, list[object]]:
    """Return the arguments of count_faults.sql: one list for each column."""
    each = counts.values()
    return {
        "definitions": list(counts),
        "read": [one.read for one in each],
        "unreadable": [one.faults[Fault.UNREADABLE] for one in each],
        "missing": [one.faults[Fault.MISSING] for one in each],
        "unusable": [one.faults[Fault.UNUSABLE] for one in each],
        "problems": [one.problem for one in each],
        "problem_ids": [one.msg_id for one in each],
    }


def _move_position(at: _Position, front: int, *, is_full: bool) -> None:
    """Move the position. The mark becomes safe when all transactions before it have ended."""
    is_marked = at.is_over and not is_full
    safe = at.mark if is_marked else at.safe
    moved = {
        "front": front,
        "safe": safe,
        "mark": max(at.mark, front - RECENT) if is_marked else at.mark,
        "is_marked": is_marked,
        "old_front": at.front,
        "old_safe": at.safe,
        "old_mark": at.mark,
    }
    if statements.count("move_pass", moved) != 1:
        raise OtherPass
    if safe != at.safe:
        statements.count("forget_read", {"safe": safe})


def _remove_deleted() -> None:
    """Delete some values of deleted definitions, and the definitions without values."""
    with transaction.atomic():
        if PASS.try_acquire():
            statements.count("remove_deleted", {"most": _MAX_DELETED})
            statements.count("remove_definitions", {})
