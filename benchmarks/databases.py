"""Fill the database of a benchmark once, and copy it for each run, with the same rows for all."""

import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.filling import BYTES_PER_MESSAGE, fill_messages
from messages_app.core.embedded_servers import DATABASE_NAME, database_url

RUN = "bench"
_RESERVE = 5_000_000_000  # bytes of the disk, for the log and sorts


def fill_template(home: Path, fill: Callable[[psycopg.Cursor], None]) -> None:
    """Create and fill the tables of the console's own database, without dead rows and dirty pages."""
    fill_tables(database_url(home), fill=fill)


def messages_once(home: Path, messages: int) -> str:
    """Fill a database with the rows of `fill` once, and return its name: a template of others."""
    name = f"messages_{messages}"
    make = partial(fill_tables, fill=partial(fill_messages, messages=messages))
    # Every run needs a copy, too.
    filled_once(home, name, make, needed=2 * messages * BYTES_PER_MESSAGE)
    return name


def filled_once(
    home: Path, name: str, fill: Callable[[str], None], *, needed: int = 0, template: str = "template1"
) -> str:
    """
    Create and fill a database of a kept home, unless it is there, and connect Django to it.

    A comment of the database says that it is filled: an interrupted run begins again.

    Args:
        fill: gets the address of the new database, to which Django is connected.
        needed: bytes; with too little space the program ends.
        template: the database of which the new one is a copy, before it is filled.

    Returns: the database's address.
    """
    use_database(name)
    url = database_url(home, name)
    with psycopg.connect(database_url(home, "postgres"), autocommit=True) as server:
        comment = server.execute(
            "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s", [name]
        ).fetchone()
        if comment == ("filled",):
            return url
        free = shutil.disk_usage(home).free
        print(f"({name} needs about {needed / 1e9:.1f} GB; {free / 1e9:.1f} GB are free)", flush=True)
        if needed + _RESERVE > free:
            raise SystemExit("The disk has too little space.")
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        began = time.monotonic()
        fill(url)
        close_connections()
        server.execute(f"COMMENT ON DATABASE {name} IS 'filled'")
    print(f"(filled in {time.monotonic() - began:.0f} s)", flush=True)
    return url


def fill_tables(url: str, *, fill: Callable[[psycopg.Cursor], None]) -> None:
    """Create and fill the console's own tables in the database that Django uses, at this address."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    close_connections()
    with psycopg.connect(url, autocommit=True, options="-c maintenance_work_mem=512MB") as hub:
        with hub.transaction(), hub.cursor() as cursor:
            fill(cursor)
        hub.execute("VACUUM ANALYZE")
        hub.execute("CHECKPOINT")


def empty_template(home: Path) -> None:
    """Create the console's own database again, without tables, and connect Django to it."""
    use_database(DATABASE_NAME)
    with psycopg.connect(database_url(home, "postgres"), autocommit=True) as server:
        server.execute(f"DROP DATABASE {DATABASE_NAME} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {DATABASE_NAME}")


def fresh_copy(home: Path, template: str = DATABASE_NAME) -> str:
    """Copy the template, connect Django to the copy, and return its address."""
    use_database(RUN)
    with psycopg.connect(database_url(home, "postgres"), autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {RUN} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {RUN} TEMPLATE {template} STRATEGY file_copy")
        server.execute("CHECKPOINT")
    return database_url(home, RUN)


def use_database(name: str) -> None:
    """Let Django use another database of the server, from its next query on."""
    from django.contrib.contenttypes.models import ContentType
    from django.db import connection

    from messages_app.messages.attachment import forget_attachment

    close_connections()
    connection.settings_dict["NAME"] = name
    ContentType.objects.clear_cache()
    forget_attachment()


def close_connections() -> None:
    """Close Django's connection, so that its database can be copied."""
    from django.db import connection

    connection.close()
