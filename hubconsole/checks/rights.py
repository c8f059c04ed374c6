"""The database roles: what they may do, next to what their part of the console needs."""

import os
from collections.abc import Mapping

import psycopg
from django.conf import settings
from django.db import connection

from hubconsole.checks import Unhealthy
from messages_app.audit.grants import Fit, fit_of
from messages_app.audit.privileges import Part
from messages_app.jobs.connections import database_dsn
from spark_tasks.database import only_row

_WORKER = (Part.WORKER,)
# Which part a service is; in a shell no one says so.
_PARTS: Mapping[str, tuple[Part, ...]] = {
    "web": (Part.WEB,),
    "short-worker": _WORKER,
    "spark-worker": _WORKER,
    "store-worker": _WORKER,
    "beat": _WORKER,
}
# One server, since when it runs, and one database of it.
_WHERE = "SELECT pg_postmaster_start_time(), oid FROM pg_database WHERE datname = current_database()"
_CONNECT_SECONDS = 2
_SPARK = "HUBCONSOLE_SPARK_DATABASE_URL"


def check_rights() -> None:
    """Refuse a role that lacks what its part needs, most often of a table new since `grant`, or may more."""
    parts = _PARTS.get(os.environ.get("HUBCONSOLE_PROCESS", ""), ())
    _refuse_unfit(fit_of(parts=parts), "DATABASE_URL")


def check_spark_role() -> None:
    """Refuse an address for the tasks of jobs that leads nowhere or elsewhere, or an unfit role there."""
    if settings.SPARK_DATABASE is None:
        return
    where, role = _asked_as_spark()
    with connection.cursor() as cursor:
        cursor.execute(_WHERE)
        if cursor.fetchone() != where:
            do = f"Set {_SPARK} to the server and database of DATABASE_URL, with another role."
            raise Unhealthy("job tasks would use a different database than the console", do)
    _refuse_unfit(fit_of(role, parts=(Part.SPARK,)), _SPARK)


def _asked_as_spark() -> tuple[tuple[object, ...], str]:
    """Return which database the tasks of jobs reach, and under which role."""
    try:
        with psycopg.connect(database_dsn(), connect_timeout=_CONNECT_SECONDS) as database:
            where = only_row(database.execute(_WHERE))
            (role,) = only_row(database.execute("SELECT current_user"))
            return where, role
    except psycopg.OperationalError:  # its words may hold the address
        do = f"Correct the server, role and password in {_SPARK}. Until then jobs fail."
        raise Unhealthy("job tasks cannot connect to the database", do) from None


def _refuse_unfit(fit: Fit, address: str) -> None:
    for_all = len(fit.parts) > 1
    part = "the console" if for_all else f"the part {fit.parts[0]}"
    if fit.lacking:
        command = "grant ROLE" if for_all else f"grant ROLE --as {fit.parts[0]}"
        do = (
            f"Run `python manage.py {command}` as the owner of the tables. This is required after each "
            "update."
        )
        raise Unhealthy(
            f"the role of {address} lacks permissions that {part} needs: {_shortened(fit.lacking)}", do
        )
    if fit.more:
        do = "Revoke its role memberships and the permissions of PUBLIC, then run `grant` again."
        raise Unhealthy(f"the role of {address} has more permissions than {part}: {_shortened(fit.more)}", do)


def _shortened(rights: list[str]) -> str:
    further = len(rights) - 5
    return ", ".join(rights[:5]) + (f" and {further} more" if further > 0 else "")
