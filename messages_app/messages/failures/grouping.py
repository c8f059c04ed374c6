"""
Grouping of new failures: a task does this every few seconds, one task at a time.

Each failure gets its group, and its cell, by whose counts it is gathered into an incident. Removing a failure
from the waiting ones and counting it are one statement, so each is counted once.
Source: docs/contributing/decisions/0009-failure-groups.md; docs/contributing/decisions/0040-incidents.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import NamedTuple

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.audit.services import SYSTEM
from messages_app.core.statements import Statements
from messages_app.incidents.cells import CellValues, Span, coarsen_counts, join_cells, note_counted
from messages_app.incidents.passes import gather_failures
from messages_app.messages.attachment import has_indexes
from messages_app.messages.failures.history import read_history
from messages_app.messages.failures.models import GROUPING, STORE, SUBJECT_KIND, GroupState
from messages_app.messages.failures.systems import SystemNames
from messages_app.shared.failure_texts import Failure, KnownFailures, first_line

shared_statements = Statements("messages_app.shared")
statements = Statements("messages_app.messages.failures")

# A transaction handles up to this many failures, which takes a few seconds.
BATCH = 50_000
# During a storm, failures are gathered into incidents at least this often.
GATHER_SECONDS = 5


class WaitingFailure(NamedTuple):
    """
    A failure that is not in a group yet, with the columns of NewFailure.

    Attributes:
        source_system: the sender; empty if the message is gone.
        address: of its last request or call; may be empty.
    """

    failure_id: int
    at: datetime
    service_name: str
    operation_name: str
    failed_error_code: str
    text: str
    source_system: str
    address: str


class Place(NamedTuple):
    """A group and, within it, a cell."""

    failure: Failure
    source_system: str
    external_system: str


@dataclass
class Placed:
    """The new failures of a place or a group: their number, first time, last time, and the newest text."""

    first: datetime
    last: datetime
    text: str
    count: int = 0

    def add(self, at: datetime, text: str) -> None:
        self.count += 1
        if at < self.first:
            self.first = at
        if at > self.last:
            self.last, self.text = at, text


class Readers(NamedTuple):
    """The texts that a run has read already."""

    causes: KnownFailures
    systems: SystemNames


def group_new_failures(*, batch: int = BATCH) -> int:
    """
    Put waiting failures into groups and incidents, and mark groups as known whose snooze has expired.

    Return the number of failures. If another process is grouping, stop.

    Args:
        batch: the maximum number of failures per transaction.
    """
    read_history()
    grouped = 0
    readers = Readers(KnownFailures(), SystemNames())
    gathered_at = monotonic()
    while (failures := _group_batch(batch, readers)) is not None:
        grouped += failures
        if failures < batch:
            break
        if monotonic() - gathered_at > GATHER_SECONDS:
            gather_failures(is_last=False)
            gathered_at = monotonic()
    # In a transaction of its own: counts are complete without it, and the next pass gathers what is missing.
    gather_failures()
    return grouped


def coarsen_minutes() -> int:
    """
    Replace some counts of old minutes of groups and cells by those of hours and days; return their number.

    Return 0 if another process is grouping.
    """
    with transaction.atomic():
        if not GROUPING.try_acquire():
            return 0
        return coarsen_counts("failure_minute", "group_id") + coarsen_counts("failure_cell_minute", "cell_id")


def _group_batch(batch: int, readers: Readers) -> int | None:
    """Return the number of failures that were grouped; None if another process is grouping."""
    with transaction.atomic():
        if not GROUPING.try_acquire():
            return None
        values = {"most": batch, "has_indexes": has_indexes()}
        failures = [WaitingFailure(*row) for row in statements.fetch_rows("read_failures", values)]
        if failures:
            _place_failures(failures, readers)
        ended = statements.fetch_rows("end_snoozes", {})
        _record_change("wake_group", GroupState.SNOOZED, GroupState.KNOWN, ended)
        return len(failures)


def _place_failures(failures: Sequence[WaitingFailure], readers: Readers) -> None:
    numbers: list[int] = []
    places: dict[Place, int] = {}
    parts: list[Placed] = []
    for one in failures:
        failure = readers.causes.failure_of(
            one.service_name, one.operation_name, one.failed_error_code, one.text
        )
        place = Place(failure, one.source_system, readers.systems.find_system(one.text, one.address))
        number = places.setdefault(place, len(places))
        if number == len(parts):
            parts.append(Placed(one.at, one.at, one.text))
        parts[number].add(one.at, one.text)
        numbers.append(number)
    ids = _join_groups(places, parts)
    cells = {place: _cell_of(place, ids[place.failure.fingerprint]) for place in places}
    spans = {cells[place]: Span(parts[number].first, parts[number].last) for place, number in places.items()}
    cell_ids = join_cells(spans)
    values = {
        "groups": [ids[place.failure.fingerprint] for place in places],
        "cells": [cell_ids[cells[place]] for place in places],
        "failures": _write_array(one.failure_id for one in failures),
        "numbers": _write_array(numbers),
        "first": failures[0].failure_id,
        "last": failures[-1].failure_id,
    }
    (removed,) = statements.only_row("place_failures", values)
    if removed != len(failures):
        raise LookupError(f"{len(failures)} failures were read, and {removed} were there.")
    note_counted()
    regressed = statements.fetch_rows("regress", {"groups": list(ids.values())})
    _record_change("regress_group", GroupState.FIXED, GroupState.REGRESSED, regressed)


def _write_array(numbers: Iterable[int]) -> str:
    """Return an array of PostgreSQL as text, which is several times as fast as a list of parameters."""
    return "{" + ",".join(map(str, numbers)) + "}"


def _cell_of(place: Place, group_id: int) -> CellValues:
    failure = place.failure
    return CellValues(
        store=STORE,
        service_name=failure.service_name,
        operation_name=failure.operation_name,
        source_system=place.source_system,
        external_system=place.external_system,
        error_code=failure.failed_error_code,
        cause=failure.summary,
        group_id=group_id,
    )


def _join_groups(places: Mapping[Place, int], parts: Sequence[Placed]) -> dict[str, int]:
    """Add the failures to their groups, and return the ids of the groups by their fingerprints."""
    groups: dict[Failure, Placed] = {}
    for place, number in places.items():
        part = parts[number]
        group = groups.setdefault(place.failure, Placed(part.first, part.last, part.text))
        group.count += part.count
        group.first = min(group.first, part.first)
        if part.last > group.last:
            group.last, group.text = part.last, part.text
    rows = shared_statements.fetch_rows(
        "join_groups",
        {
            "fingerprints": [failure.fingerprint for failure in groups],
            "services": [failure.service_name for failure in groups],
            "operations": [failure.operation_name for failure in groups],
            "codes": [failure.failed_error_code for failure in groups],
            "summaries": [failure.summary for failure in groups],
            "examples": [first_line(group.text) for group in groups.values()],
            "failures": [group.count for group in groups.values()],
            "firsts": [group.first for group in groups.values()],
            "lasts": [group.last for group in groups.values()],
        },
    )
    return dict(rows)


def _record_change(action: str, before: GroupState, after: GroupState, rows: Iterable[tuple[int]]) -> None:
    for (group_id,) in rows:
        audit.record_entry(
            actor=SYSTEM,
            action=action,
            subject_kind=SUBJECT_KIND,
            subject=group_id,
            before_state=before,
            after_state=after,
        )
