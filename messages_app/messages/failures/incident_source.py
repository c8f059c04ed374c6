"""Messages as a source of failures for incidents: their traffic, and the messages of incidents by state."""

from collections.abc import Collection, Mapping
from datetime import datetime

from messages_app.core.failure_sources import MessageSource, OpenRows, PlacedRow, TrafficRow
from messages_app.core.statements import Statements
from messages_app.messages.metrics.failing import has_state_index
from messages_app.messages.metrics.polling import is_polled
from messages_app.shared.message_states import BYGONE_STATES, MessageState

statements = Statements("messages_app.messages.failures")

# Up to this many open messages of the hub are looked up; above it, the messages of each incident are.
FENCE = 20_000
_STATES = {"open": sorted(set(MessageState) - BYGONE_STATES), "bygone": sorted(BYGONE_STATES)}


def count_traffic(since: datetime) -> list[TrafficRow]:
    return [TrafficRow(*row) for row in statements.fetch_rows("traffic_of_incidents", {"since": since})]


def count_affected(incident_ids: Collection[int], most: int) -> Mapping[int, int]:
    return dict(
        statements.fetch_rows("affected_of_incidents", {"incidents": list(incident_ids), "most": most})
    )


def count_open(incident_ids: Collection[int]) -> Mapping[int, OpenRows]:
    """
    Return the messages of these incidents that are failing or waiting now.

    They are exact while the hub has at most FENCE open messages. Above it, up to FENCE messages of each
    incident are read, and an incident with more than these has at least one that waits.
    """
    by_index = _count_by_index()
    if by_index is not None:
        return by_index
    values = {"incidents": list(incident_ids), "fence": FENCE + 1}
    by_incident = statements.fetch_rows("open_of_incidents", values)
    return {
        incident_id: OpenRows(failing, waiting if messages <= FENCE else max(waiting, 1))
        for incident_id, failing, waiting, messages in by_incident
    }


def count_failing(incident_id: int) -> int | None:
    """Return the number of messages of an incident that are failing now; None if it would not be exact."""
    # The figures of a polled hub are those of the last poll.
    by_index = None if is_polled() else _count_by_index()
    return None if by_index is None else by_index.get(incident_id, OpenRows()).failing


def _count_by_index() -> Mapping[int, OpenRows] | None:
    """Count all open messages of the hub by incident; return None if they are too many, or have no index."""
    values = {"fence": FENCE + 1, "is_polled": is_polled()}
    if not (values["is_polled"] or has_state_index()):
        return None
    rows = statements.fetch_rows("open_messages", values | _STATES)
    if sum(waiting for _, _, waiting in rows) > FENCE:
        return None
    return {incident_id: OpenRows(failing, waiting) for incident_id, failing, waiting in rows}


def place_messages(msg_ids: Collection[int]) -> Mapping[int, PlacedRow]:
    """Return the incident of each of these messages that has failed, with its newest failure."""
    rows = statements.fetch_rows("incidents_of_messages", {"messages": list(msg_ids)})
    return {msg_id: PlacedRow(*columns) for msg_id, *columns in rows}


def newest_messages_of(incident_id: int, *, most: int = 50) -> list[int]:
    """Return the newest messages of an incident, newest first."""
    values = {"incident_id": incident_id, "most": most}
    return statements.fetch_column("messages_of_incident", values)


FAILURES = MessageSource(
    count_affected=count_affected,
    count_open=count_open,
    count_traffic=count_traffic,
    place_rows=place_messages,
)
