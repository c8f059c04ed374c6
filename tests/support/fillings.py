"""Large tables for all tests of a module: filled in a transaction that is undone, with its pages."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from tests.support.emptying import empty_tables


@contextmanager
def undone_filling(django_db_blocker) -> Iterator[CursorWrapper]:
    """Yield a cursor to fill tables with, and remove the rows at the end."""
    with django_db_blocker.unblock():
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT last_value FROM hibernate_sequence")
            last_id = cursor.fetchone()
            yield cursor
            # A sequence is not undone with the transaction.
            cursor.execute("SELECT setval('hibernate_sequence', %s)", last_id)
            transaction.set_rollback(True)
        # Nor are the pages of the rows, and what ANALYZE found: later tests would have plans for many rows.
        empty_tables()
