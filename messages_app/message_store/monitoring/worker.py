"""
The workers' loop: from queued to processed, until nothing is left or the time is up.

At most this many loops run at once as `threads` of limits.py says, in whatever processes: each holds a place,
a lock of its database session, which ends with the session. A lost task costs nothing: the monitor starts
loops at every scan.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from messages_app.message_store.monitoring.queue import fill_queue
from messages_app.message_store.processing.attempt import attempt
from messages_app.message_store.processing.begin import take_queued
from messages_app.message_store.settings import limits

# Any number that no other lock of two numbers begins with.
_PLACES = 1_297_306_701
# Where nothing is queued and nothing can be, another loop may have filled the queue between the two looks: a
# loop that gave up at once would leave its place empty until the next scan.
_MISSES = 2


def work(*, seconds: float) -> int | None:
    """
    Process queued messages, and queue further ones, for this long at most.

    Returns:
        How many attempts were made; None where every place is taken.
    """
    with _place() as place:
        return None if place is None else _work(time.monotonic() + seconds)


def is_anything_left() -> bool:
    """Whether something is queued or waits to be."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM message_line WHERE status IN (1, 3) AND status = 3)"
            " OR EXISTS (SELECT FROM message_line WHERE status = 0 AND muted_at IS NULL)"
            " OR EXISTS (SELECT FROM message_line WHERE status = 2 AND muted_at IS NULL"
            "             AND next_attempt_timestamp <= statement_timestamp())"
        )
        return cursor.fetchone()[0]


def _work(deadline: float) -> int:
    attempts = misses = 0
    while misses < _MISSES and time.monotonic() < deadline:
        taken = take_queued()
        if taken is not None:
            attempt(taken)
            attempts += 1
            misses = 0
        elif fill_queue() == 0:
            misses += 1
    return attempts


@contextmanager
def _place() -> Iterator[int | None]:
    place = next(filter(_take_place, range(limits().threads)), None)
    try:
        yield place
    finally:
        if place is not None and connection.is_usable():
            _ask("SELECT pg_advisory_unlock(%s, %s)", place)


def _take_place(place: int) -> bool:
    return _ask("SELECT pg_try_advisory_lock(%s, %s)", place)


def _ask(sql: str, place: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, [_PLACES, place])
        return cursor.fetchone()[0]
