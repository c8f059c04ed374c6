"""The counts of incidents: of failures from their cells, and of rows from the stores."""

from collections import Counter
from collections.abc import Collection, Mapping

from messages_app.core.failure_sources import OpenRows
from messages_app.core.statements import Statements
from messages_app.incidents.sources import count_affected_items, count_open_items, message_sources

statements = Statements("messages_app.incidents")

# Rows of an incident are counted one by one up to this number; then its failures are an upper bound.
MAX_COUNTED = 20_000


def count_incidents(incident_ids: Collection[int]) -> None:
    """Store the counts, times, services and error codes of incidents, if they have changed."""
    if not incident_ids:
        return
    affected = _count_affected(incident_ids)
    values = {
        "incidents": list(incident_ids),
        "affected": [affected[incident_id] for incident_id in incident_ids],
        "most": MAX_COUNTED,
    }
    statements.count("count_incidents", values)


def _count_affected(incident_ids: Collection[int]) -> Counter[int]:
    affected: Counter[int] = Counter(count_affected_items(incident_ids))
    for source in message_sources():
        affected.update(source.count_affected(incident_ids, MAX_COUNTED))
    return affected


def count_open_rows(incident_ids: Collection[int]) -> Mapping[int, OpenRows]:
    """Return the rows of each incident, over all stores, that fail or wait now."""
    if not incident_ids:
        return {}
    counts = [count_open_items(incident_ids)]
    counts += [source.count_open(incident_ids) for source in message_sources()]
    return {
        incident_id: OpenRows(
            sum(one.get(incident_id, OpenRows()).failing for one in counts),
            sum(one.get(incident_id, OpenRows()).waiting for one in counts),
        )
        for incident_id in incident_ids
    }
