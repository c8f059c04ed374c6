"""
Reads what a pass needs: the counts of a day, the present incidents, and the decisions of people.

Times are minutes since 1970 here, as in `gathering`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from messages_app.core.statements import Statements
from messages_app.incidents.gathering.records import (
    Cell,
    Decisions,
    Incident,
    Key,
    Member,
    Minutes,
    Reason,
    Strength,
    Window,
)
from messages_app.incidents.gathering.traffic import Traffic
from messages_app.incidents.models import Decision
from messages_app.incidents.ranges import Range
from messages_app.incidents.sources import message_sources

statements = Statements("messages_app.incidents")

DAY = 24 * 60


class Row(NamedTuple):
    """A present incident: open, or ended less than a day ago, or merged into such a one by a person."""

    incident_id: int
    state: str
    key: Key
    ended: int | None
    merged_into: int | None


@dataclass
class Counts:
    """
    The counts of a window.

    Attributes:
        ids: the ids of the stored cells that are equal for the rule.
    """

    window: Window
    traffic: Traffic
    failures: dict[Cell, Minutes] = field(default_factory=lambda: defaultdict(dict))
    ids: dict[Cell, list[int]] = field(default_factory=lambda: defaultdict(list))
    cells: dict[int, Cell] = field(default_factory=dict)


def time_of_minute(minute: int) -> datetime:
    return datetime.fromtimestamp(minute * 60, UTC)


def read_counts() -> Counts:
    """Return the counts of the last day, but not from before failures were counted."""
    start, now, is_new = statements.only_row("read_window", {"minutes": DAY - 1})
    window = Window(start, now)
    counts = Counts(window, _read_traffic(window, is_new=is_new))
    since = time_of_minute(window.start)
    rows = statements.fetch_rows("read_counts", {"since": since})
    cell_ids = list({cell_id for cell_id, *_ in rows})
    for cell_id, *values in statements.fetch_rows("read_cells", {"cells": cell_ids}):
        cell = Cell(*values)
        counts.cells[cell_id] = cell
        counts.ids[cell].append(cell_id)
    for cell_id, minute, failures in rows:
        minutes = counts.failures[counts.cells[cell_id]]
        minutes[minute] = minutes.get(minute, 0) + failures
    return counts


def _read_traffic(window: Window, *, is_new: bool) -> Traffic:
    traffic = Traffic(window, is_new=is_new)
    since = time_of_minute(window.start)
    for source in message_sources():
        for service, sender, minute, messages in source.count_traffic(since):
            traffic.add_messages(service, sender, minute, messages)
    return traffic


def read_incidents() -> list[Row]:
    rows = statements.fetch_rows("read_incidents", {})
    return [
        Row(incident_id, state, Key(*key), ended, merged_into)
        for incident_id, state, *key, ended, merged_into in rows
    ]


def read_ranges(counts: Counts) -> dict[int, Range]:
    """Return the ranges of these cells that end within the window, by their ids."""
    values = {"cells": list(counts.cells), "since": time_of_minute(counts.window.start)}
    return {range_id: Range(*columns) for range_id, *columns in statements.fetch_rows("read_ranges", values)}


def read_ranges_of(cell_ids: Iterable[int]) -> list[Range]:
    """Return all ranges of cells."""
    values = {"cells": list(cell_ids), "since": time_of_minute(0)}
    return [Range(*columns) for _, *columns in statements.fetch_rows("read_ranges", values)]


def make_incidents(rows: Iterable[Row], ranges: Iterable[Range], counts: Counts) -> list[Incident]:
    """Return the incidents for the rule: an incident that a person merged has its own ranges still."""
    members: dict[int, list[Member]] = defaultdict(list)
    for one in ranges:
        cell = counts.cells.get(one.cell_id)
        if cell is not None:
            members[one.origin_id].append(
                Member(cell, one.first, one.last, Reason(one.reason), Strength(one.strength))
            )
    return [
        Incident(
            incident_id=row.incident_id,
            key=row.key,
            members=tuple(members[row.incident_id]),
            ended=row.ended,
        )
        for row in rows
    ]


def read_decisions(rows: Iterable[Row], counts: Counts) -> Decisions:
    """Return the decisions about present incidents. Those about others are kept, but have no effect."""
    merged = {row.incident_id: row.merged_into for row in rows if row.merged_into is not None}
    values = {"incidents": [row.incident_id for row in rows if row.merged_into is None]}
    belongs: dict[Cell, int] = {}
    never = set()
    apart = set()
    for decision, incident_id, cell_id, other_id in statements.fetch_rows("read_decisions", values):
        cell = counts.cells.get(cell_id)
        if decision == Decision.APART:
            apart.add((min(incident_id, other_id), max(incident_id, other_id)))
        elif cell is not None and decision == Decision.BELONGS:
            belongs[cell] = incident_id
        elif cell is not None:
            never.add((cell, incident_id))
    return Decisions(belongs=belongs, never=frozenset(never), merged=merged, apart=frozenset(apart))


def deciders_of(incident_ids: Iterable[int]) -> Mapping[tuple[int, int], str]:
    """Return who decided that a cell belongs to an incident, by incident and cell."""
    values = {"incidents": list(incident_ids)}
    return {
        (incident_id, cell_id): name
        for incident_id, cell_id, name in statements.fetch_rows("read_deciders", values)
    }
