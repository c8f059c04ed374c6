"""
The ranges of minutes of cells that incidents have, and their changes. Pure, and in minutes since 1970.

Source: docs/how_it_works/incidents.md, "Stable numbers".
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Range(NamedTuple):
    """Minutes of a cell that belong to an incident, both included; the columns of IncidentCell."""

    incident_id: int
    cell_id: int
    first: int
    last: int
    reason: str
    strength: str
    pinned_by: str = ""
    origin_id: int = 0


@dataclass
class Changes:
    """Changes of stored ranges: ids to delete, ranges to change by their ids, and ranges to add."""

    deleted: list[int] = field(default_factory=list)
    updated: list[tuple[int, Range]] = field(default_factory=list)
    added: list[Range] = field(default_factory=list)


def plan_changes(
    stored: Mapping[int, Range],
    gathered: Iterable[Range],
    *,
    present: Collection[int],
    matched: Collection[int],
    start: int,
) -> Changes:
    """
    Return the changes that make the stored ranges equal to the gathered ones.

    Pinned ranges and those of incidents that ended long ago stay. So do ranges of incidents without a match,
    and ranges that began before the window, as far as no other incident has their minutes now. The ranges of
    a cell never overlap.

    Args:
        stored: the ranges by their ids.
        present: the incidents that can change.
        matched: the incidents that were gathered.
        start: the first minute of the window.
    """
    new_by_cell: dict[int, list[Range]] = defaultdict(list)
    for one in gathered:
        new_by_cell[one.cell_id].append(one)
    old_by_cell: dict[int, dict[int, Range]] = defaultdict(dict)
    for range_id, one in stored.items():
        old_by_cell[one.cell_id][range_id] = one
    changes = Changes()
    for cell_id in old_by_cell.keys() | new_by_cell.keys():
        old = old_by_cell.get(cell_id, {})
        fixed = [one for one in old.values() if one.pinned_by or one.incident_id not in present]
        free = [one for one in old.values() if one not in fixed]
        free = [one for one in free if one.incident_id not in matched or one.first < start]
        ranges = _plan_cell(fixed, free, new_by_cell.get(cell_id, []))
        _compare_ranges(old, ranges, changes)
    return changes


def _plan_cell(fixed: Iterable[Range], free: Iterable[Range], new: Iterable[Range]) -> list[Range]:
    """Return the ranges of a cell: fixed ones win over new ones, and these over free ones."""
    ranges = list(fixed)
    for one in (*sorted(new, key=lambda one: not one.pinned_by), *free):
        ranges += cut_range(one, [other for other in ranges if other.incident_id != one.incident_id])
    return _join_ranges(ranges)


def cut_range(one: Range, others: Iterable[Range]) -> list[Range]:
    """Return the parts of a range that none of the others has."""
    parts = [one]
    for other in others:
        parts = [
            part._replace(first=first, last=last)
            for part in parts
            for first, last in (
                (part.first, min(part.last, other.first - 1)),
                (max(part.first, other.last + 1), part.last),
            )
            if first <= last
        ]
    return parts


def _join_ranges(ranges: Iterable[Range]) -> list[Range]:
    """Join ranges of one incident that overlap or follow each other; a pinned one keeps its reason."""
    joined: list[Range] = []
    for one in sorted(ranges, key=lambda one: (one.incident_id, one.first)):
        before = joined[-1] if joined else None
        if before is None or before.incident_id != one.incident_id or one.first > before.last + 1:
            joined.append(one)
            continue
        basis = before if before.pinned_by or not one.pinned_by else one
        origin = before.origin_id if before.origin_id != before.incident_id else one.origin_id
        joined[-1] = basis._replace(first=before.first, last=max(before.last, one.last), origin_id=origin)
    return joined


def _compare_ranges(old: Mapping[int, Range], new: Iterable[Range], changes: Changes) -> None:
    rest = dict(old)
    same = {one: range_id for range_id, one in old.items()}
    left = []
    for one in new:
        if one in same:
            del rest[same[one]]
        else:
            left.append(one)
    for one in left:
        range_id = next((key for key, other in rest.items() if other.incident_id == one.incident_id), None)
        if range_id is None:
            changes.added.append(one)
        else:
            del rest[range_id]
            changes.updated.append((range_id, one))
    changes.deleted += rest


def find_taker(old: Iterable[Range], new: Iterable[Range]) -> int | None:
    """Return the incident that now has most minutes of these old ranges, or None."""
    cells = defaultdict(list)
    for one in new:
        cells[one.cell_id].append(one)
    shares: dict[int, int] = defaultdict(int)
    for one in old:
        for other in cells[one.cell_id]:
            shares[other.incident_id] += max(min(one.last, other.last) - max(one.first, other.first) + 1, 0)
    return max(shares, key=lambda incident_id: shares[incident_id]) if any(shares.values()) else None
