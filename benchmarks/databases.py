"""Fill the database of a benchmark once, and copy it for each run, with the same rows for all."""

from collections.abc import Callable
from pathlib import Path

import psycopg

from hubconsole import embedded

RUN = "bench"


def fill_template(home: Path, fill: Callable[[psycopg.Cursor], None]) -> None:
    """Create and fill the tables of the console's own database, without dead rows and dirty pages."""
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    connection.close()
    with psycopg.connect(embedded.postgres.url(home), autocommit=True) as hub:
        with hub.transaction(), hub.cursor() as cursor:
            fill(cursor)
        hub.execute("VACUUM ANALYZE")
        hub.execute("CHECKPOINT")


def empty_template(home: Path) -> None:
    """Create the console's own database again, without tables, and connect Django to it."""
    from django.db import connection

    connection.close()
    connection.settings_dict["NAME"] = embedded.postgres.DATABASE
    with psycopg.connect(embedded.postgres.url(home, "postgres"), autocommit=True) as server:
        server.execute(f"DROP DATABASE {embedded.postgres.DATABASE} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {embedded.postgres.DATABASE}")


def fresh_copy(home: Path, template: str = embedded.postgres.DATABASE) -> str:
    """Copy the template, connect Django to the copy, and return its address."""
    from django.db import connection

    connection.close()
    with psycopg.connect(embedded.postgres.url(home, "postgres"), autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {RUN} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {RUN} TEMPLATE {template} STRATEGY file_copy")
        server.execute("CHECKPOINT")
    connection.settings_dict["NAME"] = RUN
    return embedded.postgres.url(home, RUN)
