"""Incidents for their pages and the API: memberships with their reasons, counts by minute, open rows."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.statements import Statements

statements = Statements("messages_app.incidents")

MAX_MEMBERSHIPS = 500


@dataclass(frozen=True, kw_only=True)
class Membership:
    """
    Failures of a cell that belong to an incident.

    Args:
        first, last: the minutes of the range, both included.
        failures: the number of failures in the range; in the hour or day around it if they are old.
        pinned_by: the person who decided it; empty: the rule.
    """

    store: str
    service_name: str
    operation_name: str
    source_system: str
    external_system: str
    error_code: str
    cause: str
    group_id: int | None
    first: datetime
    last: datetime
    reason: str
    strength: str
    pinned_by: str
    failures: int


def memberships_of(incident_id: int) -> list[Membership]:
    """Return the memberships of an incident, most failures first."""
    values = {"incident_id": incident_id, "most": MAX_MEMBERSHIPS}
    return statements.fetch_records("memberships", values, Membership)


def failures_by_minute(
    incident_ids: Collection[int], since: datetime
) -> Mapping[int, list[tuple[datetime, int]]]:
    """Return (minute, failures) of each of the incidents since a time, oldest first."""
    minutes: dict[int, list[tuple[datetime, int]]] = {incident_id: [] for incident_id in incident_ids}
    values = {"incidents": list(incident_ids), "since": since}
    rows = statements.fetch_rows("minutes_of_incidents", values) if incident_ids else []
    for incident_id, minute, failures in rows:
        minutes[incident_id].append((minute, failures))
    return minutes


def incidents_of_groups(group_ids: Collection[int]) -> Mapping[int, list[int]]:
    """Return the incidents with failures of each group, newest first."""
    incidents: dict[int, list[int]] = defaultdict(list)
    for group_id, incident_id in statements.fetch_rows("incidents_of_groups", {"groups": list(group_ids)}):
        incidents[group_id].append(incident_id)
    return incidents
