"""Changes that the owner of the tables could make behind the console."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

_STATE = "SELECT tgenabled FROM pg_trigger WHERE tgname = 'audit_entry_comes'"


def behind_its_back(statement: str, values: object = None) -> None:
    """Run a statement as the owner of the tables, without triggers."""
    with with_trigger_of_others(), connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        try:
            cursor.execute(statement, values)
        finally:
            cursor.execute("RESET session_replication_role")


@contextmanager
def with_trigger_of_others() -> Iterator[None]:
    """
    Let `behind_its_back` switch the trigger of new entries off inside the block, only for itself.

    A test has this block around its sessions, because a change of the trigger waits for those with entries.
    """
    with connection.cursor() as cursor:
        cursor.execute(_STATE)
        if cursor.fetchone() != ("A",):
            yield
            return
        cursor.execute("ALTER TABLE audit_entry ENABLE TRIGGER audit_entry_comes")
        try:
            yield
        finally:
            cursor.execute("ALTER TABLE audit_entry ENABLE ALWAYS TRIGGER audit_entry_comes")
