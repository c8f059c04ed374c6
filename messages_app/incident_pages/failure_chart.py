"""The range of the chart of an incident."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from messages_app.incident_pages.circumstances import Change
from messages_app.incidents.models import Incident

_MARGIN = timedelta(minutes=10)


def range_of_chart(
    incident: Incident, changes: Iterable[Change], *, now: datetime
) -> tuple[datetime, datetime]:
    """Return the range from the first change before an incident until it ended, or until now."""
    start = min([incident.began_at, *(change.at for change in changes)]) - _MARGIN
    stop = now if incident.is_open else incident.last_failure_at + _MARGIN
    return start, max(min(stop, now), start + 2 * _MARGIN)
