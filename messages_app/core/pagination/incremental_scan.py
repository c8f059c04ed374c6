"""
Scans for rows that no index finds. Each request scans for a limited time, and the page reports its position.

For a filter that few rows match, a scan would otherwise read the order to its end before a page is full. The
size of steps depends on their duration, so that a step costs about the same for small and large rows.

Source: docs/contributing/spec/design.md, R-9.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic

from django.db.models import QuerySet

from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.pagination.keyset import (
    Branch,
    M,
    Order,
    Position,
    Reading,
    iterate_readings,
    read_rows,
)

# Seconds for which one request scans. The step in progress has twice as long.
PATIENCE = 0.6

# Of the request for a page, which is not to wait for it: the page continues the scan itself.
FIRST_PATIENCE = 0.04

_FIRST_STEP = 1_000
_MIN_STEP, _MAX_STEP = 50, 25_000
_SECONDS_A_STEP = 0.15


@dataclass(frozen=True, kw_only=True)
class Stretch(Generic[M]):
    """
    The result of one request, or of one of its steps.

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
    seconds. A step that takes much longer than those before it, as where the disk has to be read, is left to
    the next request.
    """
    if branches[0].stretches is not None:
        parts = branches[0].stretches(start, descending)
        return _look_into(parts, order, start=start, descending=descending, limit=limit, patience=patience)
    most = max(int(2 * patience * 1000), 1)
    end = time.monotonic() + patience
    rows: list[M] = []
    steps = _FIRST_STEP
    for segment in iterate_readings(order, start=start, descending=descending):
        reading = segment
        while True:
            began = time.monotonic()
            look = partial(_read_step, branches, reading, steps=steps, limit=limit - len(rows))
            step = look() if reading is segment else _look_in_time(look, milliseconds=most)
            if step is None:
                return Stretch(rows=rows, looked_until=reading.start)
            rows += step.rows
            stop = step.looked_until
            if len(rows) >= limit:
                return Stretch(rows=rows, looked_until=None)
            if stop is None:
                break
            if time.monotonic() >= end:
                return Stretch(rows=rows, looked_until=stop)
            reading = replace(reading, start=stop)
            steps = _next_step(steps, time.monotonic() - began, longest=min(_SECONDS_A_STEP, patience))
    return Stretch(rows=rows, looked_until=None)


def _read_step(branches: Sequence[Branch[M]], reading: Reading, *, steps: int, limit: int) -> Stretch[M]:
    scans = [branch for branch in branches if branch.scan is not None]
    stop = _nearest_position(scans, reading, steps)
    return Stretch(rows=replace(reading, stop=stop).read_rows(branches, limit), looked_until=stop)


def _look_in_time(look: Callable[[], Stretch[M]], *, milliseconds: int) -> Stretch[M] | None:
    """Return a step; None if one of its statements takes longer."""
    try:
        with time_limit(milliseconds):
            return look()
    except TooSlow:
        return None


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
