"""
A dry run of an attempt at a message: the attempt is made in a transaction that is rolled back.

It does not write rows, take the message, wake other messages or run processors.

Source: docs/contributing/spec/design.md, "Bulk work".
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from django.conf import settings
from django.db import OperationalError, connection, transaction

from messages_app.core.badges import Tone
from messages_app.core.clock import is_too_slow
from messages_app.core.statements import Statements
from messages_app.message_store.errors import MessageMissing
from messages_app.message_store.services import end, record_versions
from messages_app.message_store.services.begin import ClaimedMessage, look_at
from messages_app.message_store.services.end import Outcome
from messages_app.message_store.services.reading import Unreadable, read_message
from messages_app.message_store.services.record_versions import Writing
from messages_app.message_store.services.records import Key, columns_of_keys
from messages_app.shared.store_states import Status

statements = Statements("messages_app.message_store")


# Only the newest versions of a record are compared.
_MAX_VERSIONS = 100
# A lock timeout, a deadlock, a conflict of transactions.
_IN_THE_WAY = frozenset({"55P03", "40P01", "40001"})
_LIMITS = "SET LOCAL lock_timeout = '2s'"

# (valid_from, valid_to, data) of each version, in order.
Versions = Mapping[Key, Sequence[tuple[datetime, datetime | None, Mapping[str, object]]]]


class Effect(StrEnum):
    """The effect of an attempt on a record."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


# In the order in which pages show them.
EFFECT_TONES = {Effect.NEW: Tone.GOOD, Effect.CHANGED: Tone.DOUBTFUL, Effect.UNCHANGED: Tone.INACTIVE}


@dataclass(frozen=True, kw_only=True)
class RecordChange:
    """The outcome of one record; `fields` are the names of those whose newest value differs."""

    key: Key
    effect: Effect
    fields: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class DryRun:
    """
    The result that an attempt would have.

    Args:
        status: one of states.OUTCOMES.
        errors: all; the first would be the message's error_message.
        records: the outcome of each; none where nothing would be written.
        ended: records that a refresh would end.
        taken_back: versions that it wrote earlier and no longer contains.
    """

    status: int
    errors: Sequence[str] = ()
    records: Sequence[RecordChange] = field(default_factory=list)
    ended: int = 0
    taken_back: int = 0

    def count(self, effect: Effect) -> int:
        return sum(each.effect is effect for each in self.records)


def make_dry_run(identifier: str) -> DryRun:
    """
    Return what an attempt at a message would change now.

    Raises:
        MessageMissing: the store does not have it.
    """
    claim = look_at(identifier)
    if claim is None:
        raise MessageMissing(f"The store has no message {identifier}.")
    if len(claim.data or "") > settings.MESSAGE_STORE_AT_ONCE_BYTES:
        return DryRun(status=Status.GENERAL_ERROR, errors=["It is too large for a dry run."])
    try:
        reading = read_message(claim)
        if isinstance(reading, Unreadable):
            return _dry_run_of_outcome(reading.outcome)
        with transaction.atomic():
            dry_run = _run_writing(Writing(claim, reading.definition.entity, reading.records))
            transaction.set_rollback(True)
        return dry_run
    except OperationalError as error:
        if not is_too_slow(error) and getattr(error.__cause__, "sqlstate", None) not in _IN_THE_WAY:
            raise
        text = "The dry run took too long, or its records are locked."
        return DryRun(status=Status.GENERAL_ERROR, errors=[text])
    except Exception as error:
        return DryRun(status=Status.GENERAL_ERROR, errors=[f"{type(error).__name__}: {error}"])


def _run_writing(writing: Writing) -> DryRun:
    claim = writing.claim
    (missing,) = record_versions.missing_references([writing.records])
    if missing:
        return _dry_run_of_outcome(*end.outcomes_of_waiting([(claim, missing)]))
    with connection.cursor() as cursor:
        cursor.execute(_LIMITS)
    record_versions.lock_records([writing])
    keys = [record.key for record in writing.records]
    before = _read_versions(keys)
    (change,) = record_versions.write_records([writing])
    after = _read_versions(keys)
    return DryRun(
        status=Status.PROCESSED,
        records=[_describe_change(key, before.get(key, ()), after.get(key, ())) for key in keys],
        ended=change.ended - _count_followed(claim, writing.entity, before) if claim.refresh else 0,
        taken_back=change.taken_back,
    )


def _count_followed(claim: ClaimedMessage, entity: str, before: Versions) -> int:
    """Return how many versions a refresh ends that the message itself follows with another."""
    at = claim.effective_at
    ends = [
        valid_to
        for key, versions in before.items()
        for valid_from, valid_to, _ in versions
        if key.entity == entity and valid_from < at
    ]
    return sum(valid_to is None or valid_to > at for valid_to in ends)


def _dry_run_of_outcome(outcome: Outcome) -> DryRun:
    return DryRun(status=outcome.status, errors=outcome.errors)


def _read_versions(keys: Sequence[Key]) -> Versions:
    values = {**columns_of_keys(keys), "most": _MAX_VERSIONS}
    versions: dict[Key, list] = {}
    for entity, text, valid_from, valid_to, data in statements.fetch_rows("versions_of", values):
        versions.setdefault(Key(entity, text), []).append((valid_from, valid_to, json.loads(data)))
    return versions


def _describe_change(key: Key, before: Sequence[tuple], after: Sequence[tuple]) -> RecordChange:
    if not before:
        return RecordChange(key=key, effect=Effect.NEW)
    if before == after:
        return RecordChange(key=key, effect=Effect.UNCHANGED)
    return RecordChange(
        key=key, effect=Effect.CHANGED, fields=_names_of_differing_fields(before[-1][2], after[-1][2])
    )


def _names_of_differing_fields(one: object, other: object) -> list[str]:
    """Return the names of the fields whose values differ."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return []
    return sorted(name for name in {*one, *other} if one.get(name, ...) != other.get(name, ...))
