"""
Strands that several outages of systems have: each outage has the minutes in which only it happens.

Source: docs/how_it_works/incidents.md, "Rule" point 7.
"""

from collections.abc import Iterable
from dataclasses import replace

from messages_app.incidents.gathering.bursts import add_minutes
from messages_app.incidents.gathering.strands import MAX_DELAY_IN_SERVICE, Strand, has_same_times
from messages_app.incidents.gathering.systems import Outage
from messages_app.shared.error_causes import Kind


def may_have(outage: Outage, strand: Strand) -> bool:
    """Whether an outage fails in the service and an operation of a strand, at some of its minutes."""
    return (
        strand.service in outage.services
        and strand.pool.system in ("", outage.system)
        and outage.first <= strand.last
        and outage.last >= strand.first
        and any(place in outage.operations for place in strand.places)
    )


def find_common_outages(strand: Strand, outages: Iterable[Outage]) -> list[Outage]:
    """Return the outages that explain the times of a strand only together; none if they do not."""
    if strand.sender or strand.kind not in (Kind.INFRASTRUCTURE, Kind.UNKNOWN):
        return []
    some = [outage for outage in outages if may_have(outage, strand)]
    if len(some) < 2:
        return []
    together = add_minutes(outage.minutes[strand.service] for outage in some)
    return some if has_same_times(strand.minutes, together, MAX_DELAY_IN_SERVICE) else []


def share_minutes(strand: Strand, outage: Outage, outages: Iterable[Outage]) -> list[tuple[Strand, Outage]]:
    """Return the parts of a strand before and after its outage in which another one happens, and the rest."""
    others = [other for other in outages if other is not outage and may_have(other, strand)]
    first, last = strand.burst.first, strand.burst.last
    shared = []
    for other in others:
        if other.first < outage.first and first < outage.first:
            end = min(outage.first - 1, other.last, last)
            shared += _cut_strand(strand, first, end, other)
            first = end + 1
        if other.last > outage.last and last > outage.last:
            start = max(outage.last + 1, other.first, first)
            shared += _cut_strand(strand, start, last, other)
            last = start - 1
    return shared + _cut_strand(strand, first, last, outage)


def _cut_strand(strand: Strand, first: int, last: int, outage: Outage) -> list[tuple[Strand, Outage]]:
    """Return the part of a strand within these minutes with its outage; nothing without failures."""
    if (first, last) == (strand.burst.first, strand.burst.last):
        return [(strand, outage)]
    minutes = {minute: count for minute, count in strand.minutes.items() if first <= minute <= last}
    if not minutes:
        return []
    burst = replace(strand.burst, first=first, last=last)
    return [(replace(strand, burst=burst, minutes=minutes), outage)]
