"""The workers' loop: it processes queued messages until none is left or its time is up."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from messages_app.message_store.services.attempt import attempt_many
from messages_app.message_store.services.begin import take_queued
from messages_app.message_store.services.monitor import fill_queue
from messages_app.message_store.settings import current_limits

# Any number that no other lock of two numbers begins with.
_PLACES = 1_297_306_701


# If no message is queued and none can be, another loop may have filled the queue in between. A loop that
# ended immediately would leave its place empty until the next scan.
_MISSES = 2


def work_for(*, seconds: float) -> int | None:
    """
    Process queued messages, and queue further ones, for this long at most.

    Returns:
        The number of attempts; None if every place is taken.
    """
    with _hold_place() as place:
        return None if place is None else _work_until(time.monotonic() + seconds)


def is_anything_left() -> bool:
    """Whether a message is queued or waits for it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM message_line WHERE status IN (1, 3) AND status = 3)"
            " OR EXISTS (SELECT FROM message_line WHERE status = 0 AND muted_at IS NULL)"
            " OR EXISTS (SELECT FROM message_line WHERE status = 2 AND muted_at IS NULL"
            "             AND next_attempt_timestamp <= statement_timestamp())"
        )
        return cursor.fetchone()[0]


def _work_until(deadline: float) -> int:
    now = current_limits()
    # A loop takes as many messages at a time as belong to its place.
    share = max(1, now.queue // now.threads)
    attempts = misses = 0
    while misses < _MISSES and time.monotonic() < deadline:
        if batch := take_queued(most=share):
            attempt_many(batch)
            attempts += len(batch)
            misses = 0
        elif fill_queue() == 0:
            misses += 1
    return attempts


@contextmanager
def _hold_place() -> Iterator[int | None]:
    place = next(filter(_take_place, range(current_limits().threads)), None)
    try:
        yield place
    finally:
        if place is not None and connection.is_usable():
            _ask_lock("SELECT pg_advisory_unlock(%s, %s)", place)


def _take_place(place: int) -> bool:
    return _ask_lock("SELECT pg_try_advisory_lock(%s, %s)", place)


def _ask_lock(sql: str, place: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, [_PLACES, place])
        return cursor.fetchone()[0]
