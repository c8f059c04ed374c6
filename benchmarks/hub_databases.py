"""Databases of a hub without a console, filled once in a kept home, and attached on demand."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import psycopg

from benchmarks.databases import close_connections, use_database
from benchmarks.filling import BYTES_PER_MESSAGE, fill_hub
from messages_app.core.embedded_servers import database_url

HUBS = {"cleverbus": "CleverBus 2.0", "openhub": "OpenHub 2.3"}
ZONE = "Europe/Prague"


@contextmanager
def hub_database(home: Path, name: str, layout: str, fill: Callable[[psycopg.Cursor], None]) -> Iterator[str]:
    """Let Django use the database of a hub without a console, which is created and filled once."""
    with psycopg.connect(database_url(home, "postgres"), autocommit=True) as server:
        if not server.execute("SELECT FROM pg_database WHERE datname = %s", [name]).rowcount:
            server.execute(f"CREATE DATABASE {name}")
    url = database_url(home, name)
    use_database(name)
    with psycopg.connect(url, autocommit=True) as hub:
        create_tables(hub, layout)
        if hub.execute("SELECT to_regnamespace('hubconsole')").fetchone() == (None,):
            fill(hub.cursor())
            hub.execute("CHECKPOINT")
    try:
        yield url
    finally:
        close_connections()


def create_tables(hub: psycopg.Connection, layout: str) -> None:
    """Create the tables of a hub, if they are not there."""
    from tests.support.hubs import LAYOUTS

    if hub.execute("SELECT to_regclass(%s)", [f"{LAYOUTS[layout].schema}.message"]).fetchone() == (None,):
        hub.execute(LAYOUTS[layout].script(filled=False))
        hub.execute("RESET search_path")


def fill_messages(home: Path, hub: psycopg.Cursor, *, messages: int) -> None:
    """Fill a hub's tables, or end the program if the disk has too little space."""
    needed, free = messages * BYTES_PER_MESSAGE, shutil.disk_usage(home).free
    print(f"({messages} messages need about {needed / 1e9:.1f} GB; {free / 1e9:.1f} GB are free)", flush=True)
    if needed > free / 2:
        raise SystemExit("The disk has too little space.")
    began = time.monotonic()
    fill_hub(hub, recognized_hub(), messages=messages, zone=ZONE)
    print(f"(filled in {time.monotonic() - began:.0f} s)", flush=True)


def recognized_hub():
    """Return the hub in the database that Django uses."""
    from messages_app.attach.recognition import recognize_hub
    from tests.support.hubs import LAYOUTS

    hubs = [recognize_hub(LAYOUTS[layout].schema) for layout in HUBS.values()]
    return next(hub for hub in hubs if hasattr(hub, "family"))


def attach_hub(*options: str) -> None:
    """Attach the console to the hub in the database that Django uses."""
    from django.core.management import call_command

    schema = recognized_hub().schema
    call_command("attach", schema, *options, time_zone=ZONE, stdout=StringIO(), stderr=StringIO())
