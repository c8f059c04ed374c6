"""
The time of the database's clock, by which all ages are measured.

Source: docs/contributing/spec/design.md, R-4.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import OperationalError, connection, transaction

from messages_app.core.statements import Statements

statements = Statements("messages_app.core")


def database_clock() -> datetime:
    """Return the current time. It also advances within a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
        return now


_QUERY_CANCELED = "57014"


class TooSlow(OperationalError):
    """The time limit ended a statement."""


@contextmanager
def time_limit(milliseconds: int) -> Iterator[None]:
    """
    Run a block in a transaction in which each statement has this time limit.

    Raises:
        TooSlow: a statement took longer.
    """
    is_inner = connection.in_atomic_block
    try:
        with transaction.atomic():
            before = _set_limit(str(milliseconds))
            yield
            # The setting would otherwise remain until the end of the outer transaction, except after a
            # rollback.
            if is_inner and not connection.needs_rollback:
                _set_limit(before)
    except OperationalError as error:
        if not is_too_slow(error):
            raise
        raise TooSlow(*error.args) from error.__cause__


def _set_limit(value: str) -> str:
    """Set the limit of this transaction, and return the previous one."""
    before: str
    before, _ = statements.only_row("limit_time", {"limit": value}, prepare=True)
    return before


def is_too_slow(error: OperationalError) -> bool:
    """Whether the time limit ended the statement, and not another error."""
    return getattr(error.__cause__, "sqlstate", None) == _QUERY_CANCELED
