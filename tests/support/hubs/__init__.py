"""
Databases of hubs for tests: tables equivalent to those of CleverBus and OpenHub, and rows of every state.

The statements are written from the facts of docs/contributing/spec/hub_versions.md and
docs/contributing/spec/cleverbus.md; nothing is copied from the scripts of the hubs. Their archive of script
0.5 is in a tablespace of its own, here in the default one. Of the procedures that archive, only the one of
script 0.4 and OpenHub is here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from messages_app.shared.sql_files import SqlFiles
from tests.support.databases import another_database

statements = SqlFiles("tests.support.hubs")
# The tables that the demo's hub also has.
tables = SqlFiles("messages_app.demo.hub_tables")
_OF_DEMO = {"message", "funnel", "openhub", "archive"}


@dataclass(frozen=True)
class Layout:
    """
    The tables of one release of a hub.

    Args:
        files: the files in sql/ that make the live tables.
        rows: the files that fill them.
        schema: the schema of the live tables.
        sequence: gives the ids of messages.
        archive: the schema of the archive tables, or None.
        archive_files: the files that make them, run in that schema.
        live_files: the additions of the archive script to the live tables.
    """

    files: tuple[str, ...] = ("message",)
    rows: tuple[str, ...] = ("rows", "rows_sequence")
    schema: str = "public"
    sequence: str = "hibernate_sequence"
    archive: str | None = None
    archive_files: tuple[str, ...] = ("archive",)
    live_files: tuple[str, ...] = ()

    def script(self, *, filled: bool = True) -> str:
        """Return the statements that make the tables in a new database, and fill them if `filled`."""
        return "\n".join(
            [
                _in_schema(self.schema),
                f"CREATE SEQUENCE {self.sequence};",
                *map(_text, self.files),
                *([_in_schema(self.archive), *map(_text, self.archive_files)] if self.archive else []),
                f"SET search_path = {self.schema};",
                *map(statements.read_text, self.live_files),
                *(map(statements.read_text, self.rows) if filled else ()),
            ]
        )


_CLEVERBUS_2 = {"files": ("message", "funnel"), "rows": ("rows", "rows_sequence", "rows_funnel")}
_TRUNCATING = ("archive_by_truncating",)

LAYOUTS = {
    "CleverBus 1.1": Layout(archive="public", live_files=_TRUNCATING),
    "CleverBus 1.1 without archive": Layout(),
    "CleverBus 2.0": Layout(**_CLEVERBUS_2, archive="public", live_files=_TRUNCATING),
    "CleverBus 2.0 with archive 0.5": Layout(**_CLEVERBUS_2, archive="arch"),
    "CleverBus 2.0 with archive 0.6": Layout(
        **_CLEVERBUS_2,
        archive="cleverbus_archive",
        archive_files=("archive", "archive_0_6_keys"),
        live_files=("archive_0_6_indexes",),
    ),
    "CleverBus 2.0 without archive": Layout(**_CLEVERBUS_2),
    "OpenHub 1.0": Layout(archive="public", live_files=_TRUNCATING),
    "OpenHub 2.3": Layout(
        files=("message", "openhub"),
        rows=("rows", "rows_openhub"),
        schema="openhub",
        sequence="openhub_sequence",
        archive="openhub",
        live_files=_TRUNCATING,
    ),
}


@contextmanager
def hub_database(
    layout: str, database: str = "hub", *, filled: bool = True, stays: bool = False
) -> Iterator[str]:
    """Let Django use a new database with the tables of a hub inside the block; give the database's name."""
    with another_database(database, LAYOUTS[layout].script(filled=filled), stays=stays) as name:
        yield name


def _text(name: str) -> str:
    return (tables if name in _OF_DEMO else statements).read_text(name)


def _in_schema(name: str) -> str:
    return f"CREATE SCHEMA IF NOT EXISTS {name}; SET search_path = {name};"
