"""Locks that transactions take by name, where no row could be locked instead."""

from dataclasses import dataclass

from django.db import connection


@dataclass(frozen=True)
class TransactionLock:
    """
    A lock that one transaction has until it ends. If its process crashes, the database releases it.

    Args:
        name: must stay the same, because processes of two versions may run during an upgrade.
    """

    name: str

    def acquire(self) -> None:
        """Wait until no other transaction has the lock, and take it."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [self.name])

    def try_acquire(self) -> bool:
        """Take the lock without waiting. Return False if another transaction has it."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [self.name])
            return bool(cursor.fetchone()[0])
