"""
Writing a message's records as versions that do not depend on the order of processing.

A message's record is the value of its key from the message's effective time on. So a version begins there,
and ends where the next one of its key begins, or where a later refresh of its entity did: one that contains
the key has a version of it there itself. Of two messages with the same effective time the one made later
wins, then the greater identifier.

Source: docs/contributing/spec/message_store.md, "Hard cases" cases 9, 10, 11, 15, 16 and 20.

Everything is written or nothing: a message with an error, or with a reference that is missing, leaves no
record. A refresh with children ends only records of the message's own entity (case 16). Written again, the
same message changes nothing; a record that it no longer holds, as its definition was changed, is taken back.
Priorities of sources and provenance by field are not kept: source definitions have none.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from messages_app.core.statements import Statements
from messages_app.message_store.services.begin import ClaimedMessage
from messages_app.message_store.services.records import Key, Record, columns_of_keys

statements = Statements("messages_app.message_store")


# A transaction that writes more records of an entity holds the whole entity, because the server's memory for
# locks is limited.
_MAX_KEYS = 128


class Writing(NamedTuple):
    """The records that a message writes; `entity` is the message's own."""

    claim: ClaimedMessage
    entity: str
    records: Sequence[Record]

    @property
    def columns(self) -> tuple[str, datetime, datetime]:
        """The message's columns of its versions."""
        return self.claim.identifier, self.claim.effective_at, self.claim.created_at


@dataclass(frozen=True, kw_only=True)
class Change:
    """How many versions a message wrote, ended as a refresh, and took back."""

    written: int
    ended: int
    taken_back: int


def lock_records(writings: Sequence[Writing]) -> None:
    """
    Hold the keys of the records until the transaction ends, and all of an entity that is refreshed.

    Writers of different records of an entity share it.
    """
    keys: dict[str, set[int]] = {}
    for writing in writings:
        for record in writing.records:
            name = f"message_store:{record.key.entity}:{record.key.text}"
            keys.setdefault(record.key.entity, set()).add(_number_of_key(name))
    whole = {entity for entity, numbers in keys.items() if len(numbers) > _MAX_KEYS}
    whole |= {writing.entity for writing in writings if writing.claim.refresh}
    is_shared = {
        _number_of_key(f"message_store:{entity}"): entity not in whole for entity in keys.keys() | whole
    }
    for entity in keys.keys() - whole:
        is_shared |= dict.fromkeys(keys[entity], False)
    # In one order, so that two that wait for each other cannot be.
    numbers = sorted(is_shared)
    statements.fetch_rows("lock_keys", {"numbers": numbers, "shared": [is_shared[one] for one in numbers]})


def missing_references(messages: Sequence[Sequence[Record]]) -> list[list[Key]]:
    """
    Return for each message the references of its records that do not exist, sorted. All are looked up
    together.

    A record exists in the store, in the message itself, or in an earlier one of these that lacks nothing. Any
    version counts, whatever its time; otherwise the result would depend on the time of the check.
    """
    references_of_messages = [_unresolved_references(records) for records in messages]
    if not any(references_of_messages):
        return [[] for _ in messages]
    columns = columns_of_keys(sorted(set().union(*references_of_messages)))
    absent = {Key(*row) for row in statements.fetch_rows("missing_references", columns)}
    missing = []
    for references, records in zip(references_of_messages, messages, strict=True):
        missing.append(sorted(references & absent))
        if not missing[-1]:
            absent -= {record.key for record in records}
    return missing


def _unresolved_references(records: Sequence[Record]) -> set[Key]:
    """Return the references that the records do not resolve themselves."""
    return {key for record in records for key in record.references} - {record.key for record in records}


def write_records(writings: Sequence[Writing]) -> list[Change]:
    """Write the records of messages in their order, the locks of `lock_records` held."""
    return [change for group in _group_writings(writings) for change in _write_group(group)]


def _group_writings(writings: Sequence[Writing]) -> Iterator[list[Writing]]:
    """
    Yield messages that can be written together: they have no record in common, and none ends or removes
    records of others' keys.
    """
    alone = _written_before([writing.claim.identifier for writing in writings if writing.claim.attempts])
    alone |= {writing.claim.identifier for writing in writings if writing.claim.refresh}
    group: list[Writing] = []
    keys: set[Key] = set()
    for writing in writings:
        own = {record.key for record in writing.records}
        if group and (keys & own or alone & {group[-1].claim.identifier, writing.claim.identifier}):
            yield group
            group, keys = [], set()
        group.append(writing)
        keys |= own
    if group:
        yield group


def _written_before(identifiers: Sequence[str]) -> set[str]:
    """Return the messages of which earlier attempts wrote records: this one may take some back."""
    if not identifiers:
        return set()
    return set(statements.fetch_column("writers_before", {"identifiers": identifiers}))


def _write_group(group: Sequence[Writing]) -> list[Change]:
    """Write a group of `_group_writings`. Only a single message can be a refresh or take records back."""
    gone = _take_back(group[0]) if len(group) == 1 and group[0].claim.attempts else []
    rows = [(record, *writing.columns) for writing in group for record in writing.records]
    columns = columns_of_keys(record.key for record, *_ in rows)
    times = [valid_from for _, _, valid_from, _ in rows]
    values = columns | {
        "identifiers": [identifier for _, identifier, _, _ in rows],
        "times": times,
        "data": [json.dumps(record.data, ensure_ascii=False) for record, *_ in rows],
        "message_timestamps": [message_timestamp for *_, message_timestamp in rows],
    }
    written = Counter(statements.fetch_column("write_records", values) if rows else ())
    ended = _refresh_entity(group[0]) if group[0].claim.refresh else 0
    _end_versions([*zip(columns["entities"], columns["keys"], times, strict=True), *gone])
    return [
        Change(written=written[writing.claim.identifier], ended=ended, taken_back=len(gone))
        for writing in group
    ]


def _take_back(writing: Writing) -> list[tuple[str, str, datetime]]:
    """Remove what a message wrote earlier and no longer contains; return the versions."""
    identifier, valid_from, _ = writing.columns
    keys = columns_of_keys(record.key for record in writing.records)
    return statements.fetch_rows(
        "take_back_records", {"identifier": identifier, "valid_from": valid_from} | keys
    )


def _refresh_entity(writing: Writing) -> int:
    """End what a refresh does not contain; return the number of versions."""
    identifier, valid_from, message_timestamp = writing.columns
    values = {
        "identifier": identifier,
        "valid_from": valid_from,
        "message_timestamp": message_timestamp,
        "entity": writing.entity,
    }
    return statements.count("refresh_entity", values)


def _end_versions(versions: Sequence[tuple[str, str, datetime]]) -> None:
    """Set the end of these versions, and of the preceding ones."""
    if versions:
        entities, keys, times = (list(column) for column in zip(*versions, strict=True))
        statements.count("end_versions", {"entities": entities, "keys": keys, "times": times})


def _number_of_key(text: str) -> int:
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
