"""
Scans for rows that no index finds. Each request scans for a limited time, and the page reports its position.

For a filter that few rows match, a scan would otherwise read the order to its end before a page is full. The
size of steps depends on their duration, so that a step costs about the same for small and large rows.

Source: docs/contributing/spec/design.md, R-9.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic

from django.db.models import QuerySet

from messages_app.core.pagination.keyset import (
    Branch,
    M,
    Order,
    Position,
    Reading,
    iterate_readings,
    read_rows,
)

# Seconds for which one request scans. The step in progress is finished.
PATIENCE = 0.6

# Of the request for a page, which is not to wait for it: the page continues the scan itself.
FIRST_PATIENCE = 0.06

_FIRST_STEP = 1_000
_MIN_STEP, _MAX_STEP = 50, 25_000
_SECONDS_A_STEP = 0.15


@dataclass(frozen=True, kw_only=True)
class Stretch(Generic[M]):
    """
    The result of one request.

    Args:
        looked_until: (sort column, key) of the last row that was checked; None if the page is full or the
            list has ended.
    """

    rows: list[M]
    looked_until: Position


def read_with_patience(
    branches: Sequence[Branch[M]],
    order: Order,
    *,
    start: Position,
    descending: bool,
    limit: int,
    patience: float = PATIENCE,
) -> Stretch[M]:
    """
    Return the next `limit` rows like `keyset.read_rows`, or the rows that were found within `patience`
    seconds.
    """
    if branches[0].stretches is not None:
        parts = branches[0].stretches(start, descending)
        return _look_into(parts, order, start=start, descending=descending, limit=limit, patience=patience)
    scans = [branch for branch in branches if branch.scan is not None]
    end = time.monotonic() + patience
    rows: list[M] = []
    steps = _FIRST_STEP
    for segment in iterate_readings(order, start=start, descending=descending):
        reading = segment
        while True:
            began = time.monotonic()
            stop = _nearest_position(scans, reading, steps)
            rows += replace(reading, stop=stop).read_rows(branches, limit - len(rows))
            if len(rows) >= limit:
                return Stretch(rows=rows, looked_until=None)
            if stop is None:
                break
            if time.monotonic() >= end:
                return Stretch(rows=rows, looked_until=stop)
            reading = replace(reading, start=stop)
            steps = _next_step(steps, time.monotonic() - began, longest=min(_SECONDS_A_STEP, patience))
    return Stretch(rows=rows, looked_until=None)


def _look_into(
    parts: Iterator[tuple[QuerySet[M], Position]],
    order: Order,
    *,
    start: Position,
    descending: bool,
    limit: int,
    patience: float,
) -> Stretch[M]:
    """Do the same as `look`, one stretch of the order after the other."""
    end = time.monotonic() + patience
    rows: list[M] = []
    for part, until in parts:
        rows += read_rows(
            [Branch(rows=part)], order, start=start, descending=descending, limit=limit - len(rows)
        )
        if len(rows) >= limit:
            break
        if time.monotonic() >= end:
            return Stretch(rows=rows, looked_until=until)
    return Stretch(rows=rows, looked_until=None)


def _nearest_position(scans: Sequence[Branch[M]], reading: Reading, steps: int) -> Position:
    """
    Return the first position, in the direction of reading, that a scan has reached; None: all are at their
    end.
    """
    places = [place for branch in scans if (place := reading.place_ahead(branch, steps))]
    if not places:
        return None
    return max(places) if reading.descending else min(places)


def _next_step(steps: int, seconds: float, *, longest: float) -> int:
    step = int(steps * min(longest / max(seconds, 0.001), 8))
    return max(_MIN_STEP, min(step, _MAX_STEP))
