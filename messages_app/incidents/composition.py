"""
Merges and splits of incidents by people. The rule follows them: they are decisions, and pinned ranges.

Source: docs/how_it_works/incidents.md, "Decisions of people".
"""

from collections.abc import Collection

from messages_app.audit import services as audit
from messages_app.core.failure_sources import PlacedRow
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements
from messages_app.incidents.models import MAX_TITLE, FailureCell, Incident, IncidentState
from messages_app.incidents.services import (
    change_incident,
    check_others,
    check_reason,
    get_incident,
    record_change,
)
from messages_app.incidents.sources import message_sources
from messages_app.incidents.totals import count_incidents
from messages_app.shared.error_titles import title_of_cause

statements = Statements("messages_app.incidents")

MAX_MESSAGES, MAX_GROUPS = 1_000, 200


@change_incident
def merge_incidents(
    *, incident_id: int, incident_ids: Collection[int], actor: audit.Actor, reason: str
) -> Incident:
    """
    Merge other incidents into this one permanently. It is open if one of them is.

    Raises:
        Problem: 400, with the invalid field.
        IncidentNotFound: one of them does not exist.
        IncidentConflict: one of them is merged already.
    """
    check_reason(reason)
    others = check_others(incident_id, incident_ids)
    incident = get_incident(incident_id)
    merged = [get_incident(other) for other in others]
    for other in merged:
        values = {
            "incident_id": other.pk,
            "survivor": incident_id,
            "by": actor.username,
            "is_by_person": True,
        }
        statements.count("absorb_incident", values)
        statements.count("move_ranges", values | {"keeps_origin": True})
        statements.count("move_messages", values)
        statements.count("move_decisions", values)
        record_change(
            "merge_incident", other, actor, reason, IncidentState.CLOSED, details={"merged_into": incident_id}
        )
    is_open = incident.is_open or any(other.is_open for other in merged)
    if is_open and not incident.is_open:
        statements.count("reopen_incident", {"incident_id": incident_id, "is_held_open": False})
    after = IncidentState.OPEN if is_open else IncidentState.CLOSED
    record_change("merge_incident", incident, actor, reason, after, details={"merged": others})
    count_incidents([incident_id, *others])
    return incident


@change_incident
def split_incident(
    *,
    incident_id: int,
    actor: audit.Actor,
    reason: str,
    msg_ids: Collection[int] | None = None,
    group_ids: Collection[int] | None = None,
) -> Incident:
    """
    Move messages or failure groups of an incident to a new one, and return that.

    New failures of these groups go to the new incident, as long as it is open or ended less than a day ago.

    Raises:
        Problem: 400: both or neither are given, or not all of them are in the incident, or nothing is left.
        IncidentNotFound, IncidentConflict: as get_incident.
    """
    check_reason(reason)
    if (msg_ids is None) == (group_ids is None):
        raise bad_field("msg_ids", "invalid_value", "Give either msg_ids or group_ids.")
    incident = get_incident(incident_id)
    if group_ids is not None:
        new_id = _split_groups(incident, sorted(set(group_ids)), actor)
        details: dict[str, object] = {"group_ids": sorted(set(group_ids))}
    else:
        new_id = _split_messages(incident, sorted(set(msg_ids or ())), actor)
        details = {"msg_ids": sorted(set(msg_ids or ()))}
    values = {"incident_id": incident_id, "other_id": new_id, "by": actor.username, "reason": reason}
    statements.count("keep_apart", values)
    count_incidents([incident_id, new_id])
    incident.refresh_from_db(fields=["affected"])
    if msg_ids is not None and not incident.affected:
        raise bad_field("msg_ids", "invalid_value", "The incident would have no failures left.")
    new = Incident.objects.get(pk=new_id)
    record_change("split_incident", incident, actor, reason, details=details | {"split_into": new_id})
    record_change("split_incident", new, actor, reason, details=details | {"split_from": incident_id})
    return new


def _split_groups(incident: Incident, group_ids: list[int], actor: audit.Actor) -> int:
    if not group_ids or len(group_ids) > MAX_GROUPS:
        raise bad_field("group_ids", "invalid_value", f"group_ids must have 1 to {MAX_GROUPS} groups.")
    values = {"incident_id": incident.pk, "groups": group_ids}
    rows = statements.fetch_rows("ranges_of_groups", values)
    missing = sorted(set(group_ids) - {group_id for group_id, _ in rows})
    if missing:
        raise bad_field("group_ids", "invalid_value", f"Group {missing[0]} is not in the incident.")
    if not statements.only_row("has_other_ranges", values)[0]:
        raise bad_field("group_ids", "invalid_value", "The incident would have no failures left.")
    cells = sorted({cell_id for _, cell_id in rows})
    new_id = _create_part(incident, cells)
    values |= {"new_id": new_id, "cells": cells, "by": actor.username}
    statements.count("split_ranges", values)
    statements.count("drop_decisions", values)
    statements.count("decide_cells", values)
    return new_id


def _split_messages(incident: Incident, msg_ids: list[int], actor: audit.Actor) -> int:
    if not msg_ids or len(msg_ids) > MAX_MESSAGES:
        raise bad_field("msg_ids", "invalid_value", f"msg_ids must have 1 to {MAX_MESSAGES} messages.")
    rows = _place_messages(msg_ids)
    for msg_id in msg_ids:
        if msg_id not in rows or rows[msg_id].incident_id != incident.pk:
            raise bad_field("msg_ids", "invalid_value", f"Message {msg_id} is not in the incident.")
    times = [row.at for row in rows.values()]
    cells = sorted({row.cell_id for row in rows.values() if row.cell_id is not None})
    new_id = _create_part(incident, cells)
    values = {"new_id": new_id, "messages": msg_ids, "by": actor.username}
    statements.count("put_messages", values)
    statements.count("set_times", {"incident_id": new_id, "first": min(times), "last": max(times)})
    return new_id


def _place_messages(msg_ids: Collection[int]) -> dict[int, PlacedRow]:
    rows: dict[int, PlacedRow] = {}
    for source in message_sources():
        rows |= source.place_rows(msg_ids)
    return rows


def _create_part(incident: Incident, cells: Collection[int]) -> int:
    """Open an incident for a part of another one, and return its id."""
    cell = FailureCell.objects.filter(pk__in=cells).order_by("-last_seen").first()
    cause = title_of_cause(cell.cause) if cell else ""
    place = (cell.external_system or cell.service_name) if cell else ""
    title = f"{place}: {cause}" if cause else f"Part of incident {incident.pk}"
    row = statements.only_row("create_part", {"incident_id": incident.pk, "title": title[:MAX_TITLE]})
    new_id: int = row[0]
    return new_id
