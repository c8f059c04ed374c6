"""The filter of messages by the external system at which their newest failure happened."""

from collections.abc import Collection

from django.db.models import OuterRef, Q, QuerySet, Subquery

from messages_app.incidents.models import FailureCell
from messages_app.messages.failures.models import STORE, FailureMember


def select_systems(rows: QuerySet, *, chosen: Collection[str], left_out: Collection[str]) -> QuerySet:
    """Narrow rows to those that failed at one of the systems, found from the failures, and not at others."""
    if chosen:
        cells = FailureCell.objects.filter(external_system__in=chosen).values("cell_id")
        rows = rows.filter(msg_id__in=FailureMember.objects.filter(cell_id__in=cells).values("msg_id"))
    return _leave_out(rows, left_out)


def probe_systems(rows: QuerySet, *, chosen: Collection[str], left_out: Collection[str]) -> QuerySet:
    """Do the same by checking each row: a system with millions of failures costs no more than another."""
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
