"""Fills the hub's tables with old families of 8 kB: message, external call, request and response."""

import psycopg

from benchmarks.filling import IDS_PER_MESSAGE
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")

_TABLES = ("message", "external_call", "request", "response")


def fill_families(hub: psycopg.Cursor, *, families: int, generations: int = 1) -> None:
    """
    Fill the empty tables with `families` messages older than two months, and a fifth as many younger ones.

    Args:
        generations: messages that follow each other as parent and child; 1 is a message without relatives.
    """
    values = {"families": families, "ids": IDS_PER_MESSAGE, "generations": generations}
    for table in _TABLES:
        statement = statements.text(f"families/{table}")
        hub.execute(statement, values)
    hub.execute("SELECT setval('hibernate_sequence', %s)", [families * 2 * IDS_PER_MESSAGE])
