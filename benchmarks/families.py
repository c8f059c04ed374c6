"""Fills the hub's tables with old families of 8 kB: message, external call, request and response."""

import psycopg

from benchmarks.filling import IDS_PER_MESSAGE
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")

_TABLES = ("message", "external_call", "request", "response")


def fill_families(hub: psycopg.Cursor, *, families: int, generations: int = 1, after: int = 0) -> None:
    """
    Add `families` messages older than two months to the tables, and a fifth as many younger ones.

    Args:
        generations: messages that follow each other as parent and child; 1 is a message without relatives.
        after: the largest id in the tables, live and archived.
    """
    values = values_of_families(families=families, generations=generations, after=after)
    for table in _TABLES:
        statement = statements.read_text(f"families/{table}")
        hub.execute(statement, values)
    hub.execute("SELECT setval('hibernate_sequence', %s)", [after + families * 2 * IDS_PER_MESSAGE])


def values_of_families(*, families: int, generations: int, after: int = 0) -> dict[str, int]:
    """Return the parameters of the statements in sql/families."""
    return {"families": families, "ids": IDS_PER_MESSAGE, "generations": generations, "after": after}
