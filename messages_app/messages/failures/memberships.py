"""
The messages of a failure group, of an incident, and of the external system at which their newest failure
happened, for the filters of lists and jobs.

A message belongs to the incident that a person put it into; otherwise to the incident of its cell whose range
has the time of its newest failure.
"""

from collections.abc import Collection
from datetime import timedelta

from django.db.models import DurationField, Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from messages_app.core.statements import Statements
from messages_app.incidents.models import FailureCell, IncidentCell, IncidentMessage
from messages_app.messages.failures.models import STORE, FailureMember

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
    """Do as select_causes, but check each row: a group of millions costs no more than a small one."""
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


def select_systems(rows: QuerySet, *, chosen: Collection[str], left_out: Collection[str]) -> QuerySet:
    """Narrow rows to those that failed at one of the systems, found from the failures, and not at others."""
    if chosen:
        cells = FailureCell.objects.filter(external_system__in=chosen).values("cell_id")
        rows = rows.filter(msg_id__in=FailureMember.objects.filter(cell_id__in=cells).values("msg_id"))
    return _leave_out(rows, left_out)


def probe_systems(rows: QuerySet, *, chosen: Collection[str], left_out: Collection[str]) -> QuerySet:
    """Do as select_systems, but check each row: millions of failures cost no more than a few."""
    if chosen:
        rows = rows.alias(system_of_failure=_own_system()).filter(system_of_failure__in=chosen)
    return _leave_out(rows, left_out)


def list_failed_systems(*, containing: str, limit: int) -> list[str]:
    """Return systems at which messages failed, in order."""
    cells = FailureCell.objects.filter(store=STORE, external_system__icontains=containing)
    named = cells.exclude(external_system="").values_list("external_system", flat=True)
    return list(named.order_by("external_system").distinct()[:limit])


def _leave_out(rows: QuerySet, systems: Collection[str]) -> QuerySet:
    if not systems:
        return rows
    others = Q(system_not_of_failure__isnull=True) | ~Q(system_not_of_failure__in=systems)
    return rows.alias(system_not_of_failure=_own_system()).filter(others)


def _own_system() -> Subquery:
    cell = FailureCell.objects.filter(cell_id=OuterRef("cell_id")).values("external_system")[:1]
    member = FailureMember.objects.filter(msg_id=OuterRef("msg_id"))
    return Subquery(member.annotate(system=Subquery(cell)).values("system"))
