"""
Changes of incidents by people: each is conditional, has a reason, and is audited in its transaction.

Decisions win over the rule: merged incidents stay merged, cells and messages stay where a person put them,
and an incident that a person reopened stays open. A closed incident is reopened only by a newer failure.
Source: docs/how_it_works/incidents.md, "Decisions of people".
"""

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements
from messages_app.incidents.models import GATHERING, SUBJECT_KIND, Incident, IncidentState
from messages_app.notes.models import NoteKind
from messages_app.notes.services import add_note
from messages_app.shared.visible_text import is_blank

statements = Statements("messages_app.incidents")

MAX_MERGED = 50


class IncidentNotFound(LookupError):
    def __init__(self, incident_id: int) -> None:
        super().__init__(f"No incident has the id {incident_id}.")


class IncidentConflict(ValueError):
    """The incident is already in the requested state, which is `current_state`."""

    def __init__(self, current_state: str) -> None:
        super().__init__(f"The incident is already {current_state}.")
        self.current_state = current_state


def change_incident(change: Callable[..., Incident]) -> Callable[..., Incident]:
    """Run a change in a transaction that has the lock of incidents, so that the rule waits for it."""

    @wraps(change)
    def run_change(**values: Any) -> Incident:
        with transaction.atomic():
            GATHERING.acquire()
            incident = change(**values)
        return Incident.objects.get(pk=incident.pk)

    return run_change


def get_incident(incident_id: int) -> Incident:
    """
    Return an incident that can be changed.

    Raises:
        IncidentNotFound: no incident has this id.
        IncidentConflict: it was merged into another one.
    """
    incident = Incident.objects.filter(pk=incident_id).first()
    if incident is None:
        raise IncidentNotFound(incident_id)
    if incident.merged_into is not None:
        raise IncidentConflict(f"merged into incident {incident.merged_into}")
    return incident


def record_change(
    action: str,
    incident: Incident,
    actor: audit.Actor,
    reason: str,
    after: str = "",
    *,
    details: Mapping[str, object] | None = None,
) -> None:
    audit.record_entry(
        actor=actor,
        action=action,
        subject_kind=SUBJECT_KIND,
        subject=incident.pk,
        before_state=incident.state,
        after_state=after or incident.state,
        reason=reason,
        details=details,
    )


def check_reason(reason: str) -> None:
    if is_blank(reason):
        raise bad_field("reason", "required", "reason must say why.")


@change_incident
def close_incident(*, incident_id: int, actor: audit.Actor, reason: str) -> Incident:
    """
    Close an incident. A newer failure within a day reopens it.

    Raises:
        Problem: 400, no reason.
        IncidentNotFound, IncidentConflict: as get_incident; or it is closed.
    """
    check_reason(reason)
    incident = get_incident(incident_id)
    if not statements.count("close_incident", {"incident_id": incident_id, "by": actor.username}):
        raise IncidentConflict(IncidentState.CLOSED)
    record_change("close_incident", incident, actor, reason, IncidentState.CLOSED)
    return incident


@change_incident
def reopen_incident(*, incident_id: int, actor: audit.Actor, reason: str) -> Incident:
    """
    Reopen an incident. It stays open until a person closes it.

    Raises: as close_incident.
    """
    check_reason(reason)
    incident = get_incident(incident_id)
    if not statements.count("reopen_incident", {"incident_id": incident_id, "is_held_open": True}):
        raise IncidentConflict(IncidentState.OPEN)
    record_change("reopen_incident", incident, actor, reason, IncidentState.OPEN)
    return incident


@change_incident
def acknowledge_incident(*, incident_id: int, actor: audit.Actor, reason: str) -> Incident:
    """
    Note that a person looks after an incident.

    Raises: as close_incident; IncidentConflict if it is acknowledged.
    """
    check_reason(reason)
    incident = get_incident(incident_id)
    if not statements.count("acknowledge_incident", {"incident_id": incident_id, "by": actor.username}):
        raise IncidentConflict("acknowledged")
    record_change("acknowledge_incident", incident, actor, reason)
    return incident


@change_incident
def assign_incident(*, incident_id: int, user: str | None, actor: audit.Actor, reason: str) -> Incident:
    """
    Give an incident to a user, or to no one.

    Raises: as close_incident; Problem 400 if no active user has this name; IncidentConflict if it has this
        owner.
    """
    check_reason(reason)
    incident = get_incident(incident_id)
    owner = user or ""
    if owner and not get_user_model().objects.filter(username=owner, is_active=True).exists():
        raise bad_field("user", "invalid_value", f"No active user has the name {owner}.")
    if not statements.count("assign_incident", {"incident_id": incident_id, "owner": owner}):
        raise IncidentConflict(f"assigned to {owner or 'no one'}")
    details = {"owner": owner, "old_owner": incident.owner}
    record_change("assign_incident", incident, actor, reason, details=details)
    return incident


def note_incident(*, incident_id: int, text: str, actor: audit.Actor) -> Incident:
    """
    Write a note on an incident.

    Raises: as get_incident; Problem 400 if the text is empty or too long.
    """
    incident = get_incident(incident_id)
    add_note(kind=NoteKind.INCIDENT, subject=incident.pk, text=text, actor=actor)
    return incident


def check_others(incident_id: int, incident_ids: Collection[int]) -> list[int]:
    """Return the incidents to merge, sorted."""
    others = sorted(set(incident_ids))
    if not others or len(others) > MAX_MERGED:
        raise bad_field(
            "incident_ids", "invalid_value", f"incident_ids must have 1 to {MAX_MERGED} incidents."
        )
    if incident_id in others:
        raise bad_field("incident_ids", "invalid_value", "An incident cannot be merged into itself.")
    return others
