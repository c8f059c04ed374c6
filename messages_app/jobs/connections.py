"""Where a job finds its database and its Spark. It loads neither, for `doctor` and `/health/` ask it too."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import connection
from psycopg import conninfo

from hubconsole import embedded


def database_dsn() -> str:
    """Return the address under which Spark's tasks reach the database: under a role of their own, if set."""
    return _dsn(settings.SPARK_DATABASE or connection.settings_dict)


def own_dsn() -> str:
    """Return the address of this process, for what it has Spark do in its own name."""
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
