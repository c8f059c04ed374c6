"""The addresses of a job's database and Spark. Loads neither, because `doctor` and `/health/` use it too."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import connection
from psycopg import conninfo

from hubconsole import embedded


def database_dsn() -> str:
    """Return the address of the database for Spark's tasks, which may have their own role."""
    return _dsn(settings.SPARK_DATABASE or connection.settings_dict)


def own_dsn() -> str:
    """Return the database address of this process, for work that Spark does under its role."""
    return _dsn(connection.settings_dict)


def _dsn(database: Mapping[str, Any]) -> str:
    return conninfo.make_conninfo(
        host=database["HOST"],
        port=database["PORT"] or None,
        dbname=database["NAME"],
        user=database["USER"],
        password=database["PASSWORD"] or None,
    )


def spark_address() -> str:
    return settings.SPARK_REMOTE or embedded.spark_remote(settings.HUBCONSOLE_HOME)
