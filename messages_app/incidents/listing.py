"""Incidents as lists, the most urgent ones first. Incidents that were merged into others are left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.db.models.functions import Now

from messages_app.core.filters.table import (
    Filter,
    Values,
    filters_by_name,
    make_lookups,
    text_filter,
    write_values,
)
from messages_app.core.filters.values import parse_choice, parse_flag, parse_text
from messages_app.core.pagination.keyset import Branch, Order
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, Page, fetch_page
from messages_app.incidents.models import MAX_OWNER, Incident, IncidentState
from messages_app.incidents.totals import count_open_rows
from messages_app.notes.models import NoteKind
from messages_app.notes.selectors import latest_notes
from messages_app.shared.system_names import MAX_SYSTEM

MAX_SERVICE = 100


def _parse_service(text: str, one: Filter) -> list[str]:
    return [parse_text(text, one)]


INCIDENTS = filters_by_name(
    Filter(name="state", lookup="state", parse=parse_choice, choices=tuple(IncidentState)),
    text_filter("owner", MAX_OWNER, lookup="owner"),
    Filter(name="unowned", lookup="", parse=parse_flag, description="true: incidents without an owner."),
    text_filter("external_system", MAX_SYSTEM, lookup="external_system"),
    Filter(
        name="service_name",
        lookup="services__contains",
        parse=_parse_service,
        max_length=MAX_SERVICE,
        description="Incidents with failures of this service.",
    ),
)

_NEWEST_FIRST = Order(column="incident_id", key="incident_id", descending=True)
# The list is read by the index of the first of these that is given.
_CONSTANTS = ("external_system", "owner", "state")
# The page shows all open incidents, and the closed ones of some days.
MAX_OPEN, MAX_CLOSED, RECENTLY = 200, 100, timedelta(days=7)


@dataclass(frozen=True, kw_only=True)
class IncidentLine:
    """
    An incident with its rows of this moment.

    Args:
        failing_now: rows that are failed now.
        waiting: rows that are neither processed nor cancelled.
        note: its newest note; empty: it has none.
    """

    incident: Incident
    failing_now: int
    waiting: int
    note: str = ""

    @property
    def is_repaired(self) -> bool:
        """Whether all its rows are processed or cancelled."""
        return bool(self.incident.failures) and not self.waiting

    @property
    def is_pressing(self) -> bool:
        """Whether it is open, not repaired, and no one has taken or acknowledged it."""
        incident = self.incident
        return incident.is_open and not self.is_repaired and not (incident.owner or incident.acknowledged_at)


def incident_page(
    *, values: Values, cursor: str | None = None, page_size: int = DEFAULT_PAGE_SIZE
) -> Page[Incident]:
    """
    Return one page of incidents, newest first.

    Args:
        values: of INCIDENTS.

    Raises:
        Problem: 400, the cursor is of another list.
    """
    constant = next((name for name in _CONSTANTS if name in values), None)
    others = {name: value for name, value in values.items() if name != constant}
    branch = Branch(
        rows=_narrow_incidents(Incident.objects.all(), others),
        constant=(constant, values[constant]) if constant else None,
        # Few incidents may meet the other conditions.
        scan=Incident.objects.all(),
    )
    scope = str(write_values(INCIDENTS, values))
    return fetch_page([branch], order=_NEWEST_FIRST, cursor=cursor, page_size=page_size, scope=scope)


def _narrow_incidents(incidents: QuerySet[Incident], values: Values) -> QuerySet[Incident]:
    if "unowned" in values:
        own = incidents.filter(owner="") if values["unowned"] else incidents.exclude(owner="")
        incidents = own
    return incidents.filter(merged_into__isnull=True, **make_lookups(INCIDENTS, values))


def open_incidents(values: Values | None = None, *, most: int = MAX_OPEN) -> list[IncidentLine]:
    """Return open incidents: those with most failing rows first, and of these the newest."""
    rows = _narrow_incidents(Incident.objects.filter(state=IncidentState.OPEN), values or {})
    lines = describe_incidents(list(rows.order_by("-incident_id")[:most]))
    return sorted(lines, key=lambda line: (line.is_repaired, -line.failing_now))


def recently_closed_incidents(values: Values | None = None) -> list[IncidentLine]:
    """Return the incidents that ended in the last days, the latest first."""
    rows = _narrow_incidents(Incident.objects.filter(closed_at__gte=Now() - RECENTLY), values or {})
    return _read_ended(rows, most=MAX_CLOSED)


def incidents_ended_since(since: datetime, *, most: int) -> list[IncidentLine]:
    """Return the incidents that ended since a time and are not open again, the latest first."""
    ended = Incident.objects.filter(closed_at__gte=since, merged_into__isnull=True)
    return _read_ended(ended, most=most)


def _read_ended(rows: QuerySet[Incident], *, most: int) -> list[IncidentLine]:
    # Only the time is indexed: with a second column, PostgreSQL would sort all incidents that ended together.
    closed = rows.filter(state=IncidentState.CLOSED).order_by("-closed_at")[:most]
    return describe_incidents(sorted(closed, key=lambda one: (one.closed_at, one.pk), reverse=True))


def describe_incidents(incidents: Sequence[Incident]) -> list[IncidentLine]:
    """Add their rows of this moment to incidents."""
    incident_ids = [incident.pk for incident in incidents]
    rows = count_open_rows(incident_ids)
    notes = latest_notes(NoteKind.INCIDENT, incident_ids)
    return [
        IncidentLine(
            incident=incident,
            failing_now=rows[incident.pk].failing,
            waiting=rows[incident.pk].waiting,
            note=notes.get(incident.pk, ""),
        )
        for incident in incidents
    ]


def count_unowned() -> int:
    """Return the number of open incidents that no one has taken."""
    unowned = Incident.objects.filter(state=IncidentState.OPEN, owner="", merged_into__isnull=True)
    return unowned[:MAX_OPEN].count()


def last_end() -> datetime | None:
    """Return when the last incident ended; None if none has."""
    ends = Incident.objects.filter(closed_at__isnull=False, merged_into__isnull=True)
    return ends.order_by("-closed_at").values_list("closed_at", flat=True).first()
