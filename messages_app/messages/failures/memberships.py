"""
The messages of a failure group and of an incident, for the filters of lists and jobs.

A message belongs to the incident that a person put it into; otherwise to the incident of its cell whose range
has the time of its newest failure.
"""

from datetime import timedelta

from django.db.models import DurationField, Exists, F, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from messages_app.core.statements import Statements
from messages_app.incidents.models import IncidentCell, IncidentMessage
from messages_app.messages.failures.models import FailureMember

statements = Statements("messages_app.messages.failures")

# The last minute of a range belongs to it.
_MINUTE = Value(timedelta(minutes=1), output_field=DurationField())


def select_causes(rows: QuerySet, *, group_id: int | None, incident_id: int | None) -> QuerySet:
    """Narrow rows to those of a failure group and of an incident, found from either side."""
    if group_id is not None:
        rows = rows.filter(msg_id__in=FailureMember.objects.filter(group_id=group_id).values("msg_id"))
    return rows if incident_id is None else rows.filter(msg_id__in=_ids_of_incident(incident_id))


def _ids_of_incident(incident_id: int) -> QuerySet:
    ranges = _ranges_of(OuterRef("cell_id"), OuterRef("at")).filter(incident_id=incident_id)
    placed = IncidentMessage.objects.filter(msg_id=OuterRef("msg_id"))
    gathered = FailureMember.objects.filter(
        Exists(ranges),
        ~Exists(placed),
        cell_id__in=IncidentCell.objects.filter(incident_id=incident_id).values("cell_id"),
    )
    own = IncidentMessage.objects.filter(incident_id=incident_id)
    return gathered.values("msg_id").union(own.values("msg_id"), all=True)


def _ranges_of(cell_id: OuterRef, at: OuterRef) -> QuerySet[IncidentCell]:
    """Return the range of a failure: at most one, because those of a cell do not overlap."""
    return IncidentCell.objects.alias(stop=F("last") + _MINUTE).filter(
        cell_id=cell_id, first__lte=at, stop__gt=at
    )


def ends_of_causes(*, group_id: int | None, incident_id: int | None) -> dict[str, int]:
    """Return the range of their ids, so that no scan passes over millions of newer messages."""
    values = {"group_id": group_id, "incident_id": incident_id}
    if group_id is None and incident_id is None:
        return {}
    first, last = statements.only_row("ends_of_causes", values)
    return {"msg_id__gte": first, "msg_id__lte": last}


def probe_causes(rows: QuerySet, *, group_id: int | None, incident_id: int | None) -> QuerySet | None:
    """Do the same by checking each row: a group of millions costs no more than a small one."""
    if group_id is None and incident_id is None:
        return None
    member = FailureMember.objects.filter(msg_id=OuterRef("msg_id"))
    if group_id is not None:
        rows = rows.alias(own_group=Subquery(member.values("group_id"))).filter(own_group=group_id)
    if incident_id is not None:
        range_of_member = _ranges_of(OuterRef("cell_id"), OuterRef("at")).values("incident_id")[:1]
        gathered = member.annotate(incident_id=Subquery(range_of_member)).values("incident_id")
        placed = IncidentMessage.objects.filter(msg_id=OuterRef("msg_id")).values("incident_id")
        own = Coalesce(Subquery(placed), Subquery(gathered))
        rows = rows.alias(own_incident=own).filter(own_incident=incident_id)
    return rows
