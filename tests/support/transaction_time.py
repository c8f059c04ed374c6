"""The time of the transaction, for rows exactly at the end of a window that SQL computes from now()."""

from datetime import datetime

from django.db import connection


def transaction_time() -> datetime:
    """Return now() of the database. It stays the same within a test that is one transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        now: datetime = cursor.fetchone()[0]
        return now
