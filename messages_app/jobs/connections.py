"""
The addresses of the database and of Spark for jobs. Imports neither driver, because `doctor` and `/health/`
use this module.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import connection
from psycopg import conninfo

from hubconsole import embedded


def database_dsn() -> str:
    """Return the database address for Spark tasks, which may have a role of their own."""
    return _dsn(settings.SPARK_DATABASE or connection.settings_dict)


def own_dsn() -> str:
    """Return the database address of this process, for Spark tasks that run under its role."""
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
