"""
Databases of hubs to which the console is attached.

Attaching takes seconds, most of them for migrations: each form is attached once in a run, and tests get
copies of its database.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from benchmarks.filling import fill_hub
from messages_app.attach.recognition import recognize_hub
from messages_app.attach.services import use_schema
from messages_app.jobs.connections import own_dsn
from tests.support.databases import another_database, schema
from tests.support.hubs import LAYOUTS, hub_database, statements

ZONE = "Europe/Prague"

_RIGHTS_OF_GUEST = """
CREATE ROLE guest;
GRANT USAGE ON SCHEMA {hub} TO guest;
GRANT SELECT ON ALL TABLES IN SCHEMA {hub} TO guest;
GRANT UPDATE (state, last_update_timestamp) ON {hub}.message TO guest;
GRANT DELETE ON {hub}.external_call TO guest
"""

# By the arguments of _attach: the database to copy, and the schema of the hub before it was attached.
_attached: dict[tuple, tuple[str, str]] = {}


@dataclass(frozen=True, kw_only=True)
class AttachedHub:
    """
    Args:
        place: the schema of its tables.
        before: its schema as pg_dump wrote it before it was attached.
    """

    layout: str
    place: str
    before: str

    def run(self, statement: str, *values: object) -> list[tuple]:
        """Run a statement; {hub} in it is the schema of the hub's tables."""
        with connection.cursor() as cursor:
            cursor.execute(statement.replace("{hub}", self.place), values)
            return [] if cursor.description is None else cursor.fetchall()


@contextmanager
def attached_hub(
    layout: str,
    *options: str,
    filled: bool = True,
    more_rows: Sequence[str] = (),
    messages: int = 0,
) -> Iterator[AttachedHub]:
    """
    Let Django use a new database of a hub to which the console is attached, with the rules of the hub.

    Args:
        more_rows: files of tests/support/hubs/sql with rows to add before.
        messages: the number of messages of benchmarks/filling.py instead of the usual rows.
    """
    place, rules = LAYOUTS[layout].schema, settings.HUB_RULES
    form = (layout, options, filled, tuple(more_rows), messages)
    if form not in _attached:
        _attached[form] = _attach(*form)
    database, before = _attached[form]
    with another_database("hub", template=database):
        use_schema()
        settings.HUB_RULES = recognize_hub(place).family.rules
        try:
            yield AttachedHub(layout=layout, place=place, before=before)
        finally:
            settings.HUB_RULES = rules


@contextmanager
def locked(table: str) -> Iterator[None]:
    """Lock a table of the hub, so that reading it takes too long."""
    with psycopg.connect(own_dsn()) as other:
        other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield


@contextmanager
def hub_read_by_guest(layout: str, *options: str) -> Iterator[AttachedHub]:
    """Attach to a hub whose views belong to the role guest, which has the rights of the guide."""
    with attached_hub(layout, *options) as hub:
        hub.run(_RIGHTS_OF_GUEST)
        for (view,) in hub.run("SELECT viewname FROM pg_views WHERE schemaname = 'hubconsole'"):
            hub.run(f"ALTER VIEW hubconsole.{view} OWNER TO guest")
        hub.run("GRANT USAGE ON SCHEMA hubconsole TO guest")
        hub.run("GRANT SELECT ON ALL TABLES IN SCHEMA hubconsole TO guest")
        try:
            yield hub
        finally:
            hub.run("DROP OWNED BY guest CASCADE; DROP ROLE guest")


def _attach(
    layout: str, options: tuple[str, ...], filled: bool, more_rows: tuple[str, ...], messages: int
) -> tuple[str, str]:
    """Attach the console to a hub in a database that stays; return its name, and its schema before that."""
    place = LAYOUTS[layout].schema
    with hub_database(
        layout, f"attached_{len(_attached)}", filled=filled and not messages, stays=True
    ) as name:
        if messages:
            fill_hub_of_database(place, messages=messages)
        with connection.cursor() as cursor:
            for file in more_rows:
                cursor.execute(
                    f"SET search_path = {place}; {statements.read_text(file)}; RESET search_path".encode()
                )
        before = schema()
        call_command("attach", place, *options, time_zone=ZONE, stdout=StringIO(), stderr=StringIO())
        return name, before


def fill_hub_of_database(place: str, *, messages: int) -> None:
    """Fill the empty tables of the hub in the database that Django uses."""
    with psycopg.connect(own_dsn(), autocommit=True) as session:
        fill_hub(session.cursor(), recognize_hub(place), messages=messages, zone=ZONE)


def detach(*options: str) -> str:
    """Detach the console, and return what the command prints."""
    output = StringIO()
    call_command("detach", "--yes", *options, stdout=output)
    return output.getvalue()
