"""
Changes of tables that wait for a lock only briefly, and let other sessions pass before the next attempt.

A statement that waits for a lock of a table blocks every later statement on this table, also the hub's.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection

_IN_USE = frozenset({"55P03", "40P01"})  # lock_not_available, deadlock_detected


class TablesBusy(Exception):
    """Other sessions held a lock in every attempt. The change that needed it was rolled back."""


def is_in_use(error: OperationalError) -> bool:
    """Whether a statement failed because another session held a lock that it needed."""
    return getattr(error.__cause__, "sqlstate", "") in _IN_USE


def attempt_in_turn(
    change: Callable[[], None],
    *,
    attempts: int,
    seconds_between: float,
    note_attempt: Callable[[], None] = lambda: None,
) -> None:
    """
    Make a change that needs locks of tables, and let other sessions pass between attempts.

    Args:
        change: runs in a transaction of its own, with a lock_timeout, and can be repeated.
        note_attempt: is called before each further attempt.

    Raises:
        TablesBusy: see the class.
    """
    for attempt in range(attempts):
        try:
            change()
            return
        except OperationalError as error:
            if not is_in_use(error):
                raise
        if attempt + 1 < attempts:
            time.sleep(seconds_between)
            note_attempt()
    raise TablesBusy


@contextmanager
def lock_timeout(limit: str) -> Iterator[None]:
    """
    Let statements of this session wait for locks only as long as `limit`, such as `500ms`, inside the block.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('lock_timeout')")
        (before,) = cursor.fetchone()
    _set_lock_timeout(limit)
    try:
        yield
    finally:
        _set_lock_timeout(before)


def _set_lock_timeout(limit: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [limit])
