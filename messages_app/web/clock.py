"""The time, by the database's clock: it decides every age. Source: DESIGN.md, rule 4."""

from datetime import datetime

from django.db import connection


def database_clock() -> datetime:
    """Return the time now; it goes on within a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]
