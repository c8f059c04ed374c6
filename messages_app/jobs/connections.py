"""
The addresses of the database and of Spark for jobs. Imports neither driver, because `doctor` and `/health/`
use this module.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import connection
from psycopg import conninfo, pq

from messages_app.core.embedded_servers import spark_url


def database_dsn() -> str:
    """Return the database address for Spark tasks, which may have a role of their own."""
    other = settings.SPARK_DATABASE
    return _make_dsn(other, other.get("OPTIONS", {})) if other else own_dsn()


def own_dsn() -> str:
    """Return the database address of this process, for Spark tasks that run under its role."""
    return _make_dsn(connection.settings_dict, settings.DATABASE_PARAMETERS)


def _make_dsn(database: Mapping[str, Any], parameters: Mapping[str, Any]) -> str:
    """Return an address with those of the parameters that libpq knows. Others are Django's own."""
    keywords = {option.keyword.decode() for option in pq.Conninfo.get_defaults()}
    options = {name: value for name, value in parameters.items() if name in keywords}
    # As Django does: in a database without an encoding (SQL_ASCII), psycopg would return texts as bytes.
    return conninfo.make_conninfo(
        **options | {"client_encoding": "UTF8"},
        host=database["HOST"],
        port=database["PORT"] or None,
        dbname=database["NAME"],
        user=database["USER"],
        password=database["PASSWORD"] or None,
    )


def spark_address() -> str:
    return settings.SPARK_REMOTE or spark_url(settings.HUBCONSOLE_HOME)
