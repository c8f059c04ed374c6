"""The time, by the database's clock: it decides every age. Source: docs/spec/design.md, R-4."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import OperationalError, connection, transaction


def database_clock() -> datetime:
    """Return the time now; it continues within a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
        return now


# A time limit for what a part of a page asks the database.


_QUERY_CANCELED = "57014"


@contextmanager
def time_limit(milliseconds: int) -> Iterator[None]:
    """
    Run the statements within in a transaction with this time limit for each.

    Raises:
        django.db.OperationalError: one took longer; see `was_too_slow`.
    """
    is_inner = connection.in_atomic_block
    with transaction.atomic():
        before = _set_limit(str(milliseconds))
        yield
        if is_inner:  # the setting ends with the outer transaction, which continues
            _set_limit(before)


def _set_limit(value: str) -> str:
    """Set the limit for this transaction and return the one before."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT before, set_config('statement_timeout', %s, true)"
            "  FROM (SELECT current_setting('statement_timeout') AS before OFFSET 0) AS kept",
            [value],
        )
        before: str = cursor.fetchone()[0]
        return before


def was_too_slow(error: OperationalError) -> bool:
    """Whether a statement was ended by its time limit, and not by anything else."""
    return getattr(error.__cause__, "sqlstate", None) == _QUERY_CANCELED
