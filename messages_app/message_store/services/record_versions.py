"""
Writing a message's records as versions that do not depend on the order of processing.

A message's record is the value of its key from the message's effective time on. So a version begins there,
and ends where the next one of its key begins, or where a later refresh of its entity did: one that contains
the key has a version of it there itself. Of two messages with the same effective time the one made later
wins, then the greater identifier.

Source: docs/spec/message_store.md, "Hard cases" cases 9, 10, 11, 15, 16 and 20.

Everything is written or nothing: a message with an error, or with a reference that is missing, leaves no
record. A refresh with children ends only records of the message's own entity (case 16). Written again, the
same message changes nothing; a record that it no longer holds, as its definition was changed, is taken back.
Priorities of sources and provenance by field are not kept: source definitions have none.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import connection

from messages_app.core.statements import Statements
from messages_app.message_store.services.begin import ClaimedMessage
from messages_app.message_store.services.records import Key, Record

statements = Statements("messages_app.message_store")


# Writers of one entity wait for each other only where their keys share a bucket; a refresh takes all.
_BUCKETS = 64


@dataclass(frozen=True, kw_only=True)
class Change:
    """How many versions a message wrote, ended as a refresh, and took back."""

    written: int
    ended: int
    taken_back: int


def lock(taken: ClaimedMessage, entity: str, records: Sequence[Record]) -> None:
    """Hold the keys of the records until the transaction ends, and all of the entity if it is refreshed."""
    names = {(record.key.entity, _bucket(record.key)) for record in records}
    if taken.refresh:
        names |= {(entity, bucket) for bucket in range(_BUCKETS)}
    # In one order, so that two that wait for each other cannot be.
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(number) FROM unnest(%s::bigint[]) AS number",
            [sorted({_number(f"message_store:{bucket}:{name}") for name, bucket in names})],
        )


def missing_references(records: Sequence[Record]) -> list[Key]:
    """
    Return references of the records that neither the store nor this message contains; sorted.

    Any version counts, whatever its time; otherwise the result would depend on the time of the check.
    """
    held = {record.key for record in records}
    asked = sorted(
        {key for record in records for key in record.references} - held,
        key=lambda key: (key.entity, key.text),
    )
    if not asked:
        return []
    found = statements.rows("missing_references", _columns(asked))
    return [Key(entity, text) for entity, text in found]


def write(taken: ClaimedMessage, entity: str, records: Sequence[Record]) -> Change:
    """Write the records, `lock` held."""
    message = {
        "identifier": taken.identifier,
        "valid_from": taken.effective_at,
        "message_timestamp": taken.created_at,
    }
    keys = _columns(record.key for record in records)
    gone = statements.rows("take_back_records", message | keys) if taken.attempts else []
    written = 0
    if records:
        data = [json.dumps(record.data, ensure_ascii=False) for record in records]
        written = statements.count("write_records", message | keys | {"data": data})
    ended = statements.count("refresh_entity", message | {"entity": entity}) if taken.refresh else 0
    _end_versions([(*key, taken.effective_at) for key in zip(keys["entities"], keys["keys"], strict=True)])
    _end_versions(gone)
    return Change(written=written, ended=ended, taken_back=len(gone))


def _end_versions(versions: Sequence[tuple[str, str, object]]) -> None:
    """Set the end of these versions, and of the preceding ones."""
    if versions:
        entities, keys, times = (list(column) for column in zip(*versions, strict=True))
        statements.count("end_versions", {"entities": entities, "keys": keys, "times": times})


def _columns(keys: Iterable[Key]) -> dict[str, list[str]]:
    keys = list(keys)
    return {"entities": [key.entity for key in keys], "keys": [key.text for key in keys]}


def _bucket(key: Key) -> int:
    return _number(key.text) % _BUCKETS


def _number(text: str) -> int:
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
