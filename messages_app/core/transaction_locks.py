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
        self._run("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))")

    def try_acquire(self) -> bool:
        """Take the lock without waiting. Return False if another transaction has it."""
        return bool(self._run("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))"))

    def _run(self, text: str) -> object:
        with connection.cursor() as cursor:
            cursor.execute(text, [self.name])
            return cursor.fetchone()[0]
