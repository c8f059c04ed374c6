"""
The servers that `up` runs if the environment does not name any: PostgreSQL, Valkey and Spark Connect.

The three addresses below come from files in the home, so any process with this home finds the servers.
Reading them starts nothing: if a server is not running, the connection is refused.
"""

import os
from pathlib import Path

from hubconsole.embedded import postgres, spark, valkey

__all__ = [
    "broker_url",
    "database_url",
    "postgres",
    "spark",
    "spark_remote",
    "valkey",
    "why_no_database",
]


def database_url(home: Path) -> str:
    """Return the address of the embedded database, including the password."""
    return postgres.url(home)


def broker_url(home: Path) -> str:
    """Return the address of the embedded broker, including the password."""
    return valkey.url(home)


def spark_remote(home: Path) -> str:
    """
    Return the address for Spark clients, including the token: SPARK_REMOTE, or else the embedded server.
    """
    return os.environ.get("SPARK_REMOTE") or spark.url(home)


def why_no_database(error: Exception, home: Path) -> str | None:
    """
    Explain in one line why the database does not answer.

    Args:
        error: Django's OperationalError.

    Returns:
        None if there was a connection, because the error then came from the database itself.
    """
    if getattr(error.__cause__, "sqlstate", None):
        return None
    if not os.environ.get("DATABASE_URL") and not postgres.is_running(home):
        return "PostgreSQL is not running: start it with `make up`"
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    return f"The database does not answer: {reason}"
