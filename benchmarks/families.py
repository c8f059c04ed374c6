"""Fills the hub's tables with old families of 8 kB: message, external call, request and response."""

import psycopg

from benchmarks.filling import IDS_PER_MESSAGE
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")

_TABLES = ("message", "external_call", "request", "response")


def fill_families(hub: psycopg.Cursor, *, families: int) -> None:
    """Fill the empty tables with `families` older than two months, and a fifth as many younger ones."""
    for table in _TABLES:
        statement = statements.text(f"families/{table}")
        hub.execute(statement, {"families": families, "ids": IDS_PER_MESSAGE})
    hub.execute("SELECT setval('hibernate_sequence', %s)", [families * 2 * IDS_PER_MESSAGE])
