"""
The pass that gathers failures into incidents: it compares counts with what is stored, and writes the
differences.

It is a function of counts and decisions, in one transaction under a lock. A worker that dies leaves nothing
behind, and the next pass computes the same.
Source: docs/how_it_works/incidents.md; docs/contributing/decisions/0040-incidents.md.
"""

from collections.abc import Iterable, Mapping

from django.conf import settings
from django.db import transaction

from messages_app.core.statements import Statements
from messages_app.incidents.changes import (
    absorb_incident,
    create_incident,
    end_incidents,
    follow_key,
    reopen_by_rule,
    store_changes,
)
from messages_app.incidents.gathering.lifecycle import Change, decide_change
from messages_app.incidents.gathering.matching import Match, gather_incidents
from messages_app.incidents.gathering.records import Reason
from messages_app.incidents.models import GATHERING
from messages_app.incidents.ranges import Range, find_taker, plan_changes
from messages_app.incidents.reading import (
    Counts,
    Row,
    deciders_of,
    make_incidents,
    read_counts,
    read_decisions,
    read_incidents,
    read_ranges,
    read_ranges_of,
)
from messages_app.incidents.sources import count_new_items
from messages_app.incidents.titles import make_title
from messages_app.incidents.totals import count_incidents

statements = Statements("messages_app.incidents")


def gather_failures(*, is_last: bool = True) -> None:
    """
    Gather the failures of the last day, if new ones were counted, and end incidents that are over.

    While another process gathers or a person changes incidents, this does nothing: the next call does.

    Args:
        is_last: False while more failures wait: only failures of messages are gathered, and no incident ends.
    """
    if is_last:
        count_new_items()
    with transaction.atomic():
        if not GATHERING.try_acquire():
            return
        counted, gathered = statements.only_row("read_pass", {})
        if counted != gathered:
            _gather_day()
            statements.count("note_gathered", {"counted": counted})
        if is_last:
            end_incidents()


def _gather_day() -> None:
    counts = read_counts()
    rows = read_incidents()
    by_id = {row.incident_id: row for row in rows}
    ranges = read_ranges(counts)
    matches = gather_incidents(
        counts.failures,
        counts.traffic,
        make_incidents(rows, ranges.values(), counts),
        read_decisions(rows, counts),
        opening=settings.INCIDENT_OPENING,
    )
    present = [match for match in matches if match.incident_id in by_id]
    for match in present:
        _absorb_others(match, by_id, ranges)
    matched = {match.incident_id for match in present if match.incident_id is not None}
    deciders = deciders_of(matched)
    gathered = [one for match in present for one in _list_ranges(match, counts, deciders)]
    new = [match for match in matches if match.incident_id is None]
    # The ranges of an incident to open have minus its number until it has an id.
    for number, match in enumerate(new, 1):
        gathered += _list_ranges(match, counts, {}, incident_id=-number)
    changes = plan_changes(
        ranges, _keep_origins(gathered, ranges), present=by_id, matched=matched, start=counts.window.start
    )
    of_new = [one for one in changes.added if one.incident_id < 0]
    changes.added = [one for one in changes.added if one.incident_id > 0]
    store_changes(changes)
    for number, match in enumerate(new, 1):
        own = [one for one in of_new if one.incident_id == -number]
        incident_id = create_incident(own, match.cluster.key, make_title(match.cluster, counts.failures))
        if incident_id is not None:
            matched.add(incident_id)
    _absorb_empty(by_id, ranges)
    count_incidents(matched | {one.incident_id for one in ranges.values() if one.incident_id in by_id})
    for match in present:
        _follow_match(match, by_id[match.incident_id or 0], counts)


def _list_ranges(
    match: Match,
    counts: Counts,
    deciders: Mapping[tuple[int, int], str],
    incident_id: int | None = None,
) -> list[Range]:
    owner = match.incident_id if incident_id is None else incident_id
    if owner is None:
        return []
    return [
        Range(
            incident_id=owner,
            cell_id=cell_id,
            first=member.first,
            last=member.last,
            reason=member.reason,
            strength=member.strength,
            pinned_by=deciders.get((owner, cell_id), "") if member.reason is Reason.PERSON else "",
            origin_id=owner,
        )
        for member in match.cluster.members
        for cell_id in counts.ids[member.cell]
    ]


def _keep_origins(gathered: Iterable[Range], ranges: Mapping[int, Range]) -> list[Range]:
    """Return the ranges with the origin that the cell had within its incident, if people merged it."""
    origins = {(one.incident_id, one.cell_id): one.origin_id for one in ranges.values()}
    return [
        one._replace(origin_id=origins.get((one.incident_id, one.cell_id), one.origin_id)) for one in gathered
    ]


def _absorb_others(match: Match, by_id: Mapping[int, Row], ranges: dict[int, Range]) -> None:
    """Merge the incidents that the rule found to be one with this match."""
    survivor = match.incident_id
    if survivor is None:
        return
    for other in match.absorbed:
        if other in by_id and by_id[other].merged_into is None:
            absorb_incident(other, survivor)
            for range_id, one in ranges.items():
                if one.incident_id == other:
                    ranges[range_id] = one._replace(incident_id=survivor, origin_id=survivor)


def _absorb_empty(by_id: Mapping[int, Row], before: Mapping[int, Range]) -> None:
    """Merge incidents whose failures have all gone to another one."""
    empty = statements.fetch_column("empty_incidents", {"incidents": list(by_id)})
    if not empty:
        return
    cells = list({one.cell_id for one in before.values() if one.incident_id in empty})
    after = read_ranges_of(cells)
    for incident_id in empty:
        taker = find_taker([one for one in before.values() if one.incident_id == incident_id], after)
        if taker is not None:
            absorb_incident(incident_id, taker)


def _follow_match(match: Match, row: Row, counts: Counts) -> None:
    if row.ended is not None:
        change = decide_change(
            ended=row.ended, last_failure=match.cluster.last, waiting=0, now=counts.window.now
        )
        if change is Change.REOPEN:
            reopen_by_rule(row.incident_id)
    if match.cluster.key != row.key and match.cluster.key != type(row.key)():
        follow_key(row.incident_id, match.cluster.key, make_title(match.cluster, counts.failures))
