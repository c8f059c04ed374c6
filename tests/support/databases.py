"""Makes further databases, empty or from a dump, and compares their schemas and rows."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from psycopg import sql

from hubconsole.devserver.postgres import binary_path
from messages_app.jobs.connections import own_dsn

_ROWS = "SELECT count(*), md5(string_agg(row::text, E'\\n' ORDER BY row::text)) FROM {} AS row"


@contextmanager
def another_database(
    name: str, script: str = "", *, template: str = "template0", stays: bool = False
) -> Iterator[str]:
    """
    Let Django use a new database of this name inside the block.

    Args:
        script: the statements that fill it, as pg_dump writes them.
        template: the database that it is a copy of.
        stays: do not drop it after the block.
    """
    its_own, dsn = connection.settings_dict["NAME"], own_dsn()
    create = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
    with psycopg.connect(dsn, autocommit=True) as server:
        server.execute(create)
    try:
        _use(name)
        if script:
            with psycopg.connect(own_dsn(), autocommit=True) as session:
                session.execute("\n".join(line for line in script.splitlines() if line[:1] != "\\").encode())
        yield name
    finally:
        _use(its_own)
        if not stays:
            _drop(dsn, name)


def _drop(dsn: str, name: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as server:
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _use(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name
    ContentType.objects.clear_cache()


def schema(*, without: str = "") -> str:
    """
    Return what pg_dump writes of the schema of the database that Django uses.

    Args:
        without: a schema to leave out.
    """
    excluded = [f"--exclude-schema={without}"] if without else []
    return _run("pg_dump", "--schema-only", "--restrict-key=x", *excluded)


def run_in_psql(script: str) -> None:
    """Run a script with psql, which stops at the first error, in the database that Django uses."""
    _run("psql", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", script=script)


def _run(program: str, *arguments: str, script: str = "") -> str:
    """Run a program of PostgreSQL as the role of the console; return its output."""
    settings = connection.settings_dict
    address = {
        "PGHOST": settings["HOST"],
        "PGPORT": str(settings["PORT"]),
        "PGUSER": settings["USER"],
        "PGPASSWORD": settings["PASSWORD"],
    }
    return subprocess.run(
        [binary_path(program), *arguments, settings["NAME"]],
        input=script,
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | address,
    ).stdout


def rows() -> dict[str, tuple[int, str | None]]:
    """Return for each table its number of rows and a digest of them."""
    tables = connection.introspection.table_names()
    found = {}
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(sql.SQL(_ROWS).format(sql.Identifier(table)))
            found[table] = cursor.fetchone()
    return found
