"""
Writes what a pass found, and ends incidents that are over. Each change is one conditional statement, audited
in the same transaction.

Source: docs/how_it_works/incidents.md, "End".
"""

from collections.abc import Sequence

from django.conf import settings

from messages_app.audit import services as audit
from messages_app.audit.services import SYSTEM
from messages_app.core.statements import Statements
from messages_app.incidents.gathering.records import Key
from messages_app.incidents.models import SUBJECT_KIND, IncidentState
from messages_app.incidents.ranges import Changes, Range
from messages_app.incidents.reading import time_of_minute
from messages_app.incidents.totals import count_open_rows

statements = Statements("messages_app.incidents")


class Outdated(LookupError):
    """A row has changed although this transaction has the lock; the transaction must be rolled back."""


def store_changes(changes: Changes) -> None:
    """
    Delete, change and add ranges.

    Raises:
        Outdated: a range is gone.
    """
    if changes.deleted:
        _require_rows(statements.count("delete_ranges", {"ranges": changes.deleted}), len(changes.deleted))
    if changes.updated:
        values = {"ranges": [range_id for range_id, _ in changes.updated]}
        ranges = [one for _, one in changes.updated]
        _require_rows(statements.count("update_ranges", values | _columns_of(ranges)), len(ranges))
    if changes.added:
        values = {"incidents": [one.incident_id for one in changes.added]}
        statements.count("add_ranges", values | _columns_of(changes.added))


def _columns_of(ranges: Sequence[Range]) -> dict[str, list[object]]:
    return {
        "cells": [one.cell_id for one in ranges],
        "firsts": [time_of_minute(one.first) for one in ranges],
        "lasts": [time_of_minute(one.last) for one in ranges],
        "reasons": [one.reason for one in ranges],
        "strengths": [one.strength for one in ranges],
        "pinned": [one.pinned_by for one in ranges],
        "origins": [one.origin_id for one in ranges],
    }


def _require_rows(changed: int, expected: int) -> None:
    if changed != expected:
        raise Outdated(f"{expected} rows should have changed, and {changed} have.")


def create_incident(ranges: Sequence[Range], key: Key, title: str) -> int | None:
    """Open an incident with its ranges and return its id; None if another one has any of these minutes."""
    if not ranges:
        return None
    values = _columns_of(ranges) | {"title": title} | _columns_of_key(key)
    row = statements.fetch_row("create_incident", values)
    if row is None:
        return None
    incident_id: int = row[0]
    audit.record_entry(
        actor=SYSTEM,
        action="open_incident",
        subject_kind=SUBJECT_KIND,
        subject=incident_id,
        after_state=IncidentState.OPEN,
        details={"title": title},
    )
    return incident_id


def _columns_of_key(key: Key) -> dict[str, str]:
    return {"system": key.system, "service": key.service, "sender": key.sender, "text": key.text}


def follow_key(incident_id: int, key: Key, title: str) -> None:
    """Store what the failures of an incident have in common now."""
    statements.count("follow_key", _columns_of_key(key) | {"incident_id": incident_id, "title": title})


def absorb_incident(incident_id: int, survivor: int) -> None:
    """Merge an incident into an older one because the rule found one cause."""
    values = {
        "incident_id": incident_id,
        "survivor": survivor,
        "by": SYSTEM.username,
        "is_by_person": False,
    }
    if statements.count("absorb_incident", values):
        statements.count("move_ranges", values | {"keeps_origin": False})
        statements.count("move_messages", values)
        statements.count("move_decisions", values)
        audit.record_entry(
            actor=SYSTEM,
            action="merge_incident",
            subject_kind=SUBJECT_KIND,
            subject=survivor,
            details={"merged": [incident_id]},
        )


def reopen_by_rule(incident_id: int) -> None:
    """Reopen an incident that has a new failure."""
    if statements.count("reopen_incident", {"incident_id": incident_id, "is_held_open": False}):
        audit.record_entry(
            actor=SYSTEM,
            action="reopen_incident",
            subject_kind=SUBJECT_KIND,
            subject=incident_id,
            before_state=IncidentState.CLOSED,
            after_state=IncidentState.OPEN,
        )


def end_incidents() -> list[int]:
    """
    Close the incidents whose rows are all processed or cancelled and that had no failure for a time; return
    their ids.
    """
    quiet = {"minutes": settings.INCIDENT_QUIET_MINUTES}
    candidates = statements.fetch_column("quiet_incidents", quiet)
    open_rows = count_open_rows(candidates)
    over = [incident_id for incident_id in candidates if not open_rows[incident_id].waiting]
    if not over:
        return []
    ended = statements.fetch_column("end_incidents", quiet | {"incidents": over})
    for incident_id in ended:
        audit.record_entry(
            actor=SYSTEM,
            action="end_incident",
            subject_kind=SUBJECT_KIND,
            subject=incident_id,
            before_state=IncidentState.OPEN,
            after_state=IncidentState.CLOSED,
        )
    return ended
