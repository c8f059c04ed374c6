"""
The end of incidents: all their rows are processed or cancelled, and no failure came for a time.

Source: docs/how_it_works/incidents.md, "End".
"""

from django.conf import settings

from messages_app.audit import services as audit
from messages_app.audit.services import SYSTEM
from messages_app.core.statements import Statements
from messages_app.incidents.models import SUBJECT_KIND, IncidentState
from messages_app.incidents.totals import count_open_rows

statements = Statements("messages_app.incidents")


def end_incidents() -> list[int]:
    """Close the incidents that are over, and return their ids."""
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
