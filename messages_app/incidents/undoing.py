"""
Undoes a decision of a person about an incident, unless the incident has changed since then.

Each is one conditional statement and is audited in its transaction.
"""

from datetime import datetime

from messages_app.audit import services as audit
from messages_app.core.undo import UNDONE
from messages_app.incidents.models import Incident, IncidentState
from messages_app.incidents.services import (
    IncidentConflict,
    change_incident,
    get_incident,
    record_change,
    statements,
)


@change_incident
def undo_assignment(*, incident_id: int, owner: str, former: str, actor: audit.Actor) -> Incident:
    """
    Give an incident back to its former owner.

    Args:
        owner: whom it was given to; empty: no one.

    Raises:
        IncidentNotFound, IncidentConflict: as get_incident; or it has another owner.
    """
    incident = get_incident(incident_id)
    values = {"incident_id": incident_id, "owner": owner, "former": former}
    if not statements.count("undo_assignment", values):
        raise IncidentConflict(f"assigned to {incident.owner or 'no one'}")
    details = {"owner": former, "old_owner": owner}
    record_change("assign_incident", incident, actor, UNDONE, details=details)
    return incident


@change_incident
def undo_acknowledgement(*, incident_id: int, moment: datetime, actor: audit.Actor) -> Incident:
    """
    Withdraw an acknowledgement of `actor`.

    Args:
        moment: its time.

    Raises:
        IncidentNotFound, IncidentConflict: as get_incident; or this acknowledgement is gone.
    """
    incident = get_incident(incident_id)
    values = {"incident_id": incident_id, "moment": moment, "by": actor.username}
    if not statements.count("undo_acknowledgement", values):
        raise IncidentConflict("changed")
    record_change("withdraw_acknowledgement", incident, actor, UNDONE)
    return incident


@change_incident
def undo_closing(*, incident_id: int, moment: datetime, actor: audit.Actor) -> Incident:
    """
    Reopen an incident that `actor` has closed. It stays open until a person closes it.

    Args:
        moment: when it was closed.

    Raises:
        IncidentNotFound, IncidentConflict: as get_incident; or it is no longer closed by this decision.
    """
    incident = get_incident(incident_id)
    values = {"incident_id": incident_id, "moment": moment, "by": actor.username}
    if not statements.count("undo_closing", values):
        raise IncidentConflict(incident.state)
    record_change("reopen_incident", incident, actor, UNDONE, IncidentState.OPEN)
    return incident


@change_incident
def undo_reopening(
    *, incident_id: int, closed_at: datetime, closed_by: str, failures: int, actor: audit.Actor
) -> Incident:
    """
    Close an incident as it was closed before a person reopened it.

    Args:
        failures: of the incident after it was reopened. A later failure keeps it open.

    Raises:
        IncidentNotFound, IncidentConflict: as get_incident; or it is closed, or has failed since then.
    """
    incident = get_incident(incident_id)
    values = {"closed_at": closed_at, "closed_by": closed_by, "failures": failures}
    if not statements.count("undo_reopening", {"incident_id": incident_id, **values}):
        raise IncidentConflict(incident.state)
    record_change("close_incident", incident, actor, UNDONE, IncidentState.CLOSED)
    return incident
