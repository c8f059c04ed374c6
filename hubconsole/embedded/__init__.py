"""The servers that `up` runs itself where the environment names none: PostgreSQL, Valkey, Spark Connect.

The three addresses below are read from files of the home, so that any process of it, in any terminal, finds
the servers. Reading starts nothing: where nothing runs, connecting is refused.
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
    """Return the address of the embedded database, password included."""
    return postgres.url(home)


def broker_url(home: Path) -> str:
    """Return the address of the embedded broker, password included."""
    return valkey.url(home)


def spark_remote(home: Path) -> str:
    """Return the address for Spark's clients, token included: SPARK_REMOTE, else the embedded server."""
    return os.environ.get("SPARK_REMOTE") or spark.url(home)


def why_no_database(error: Exception, home: Path) -> str | None:
    """Return the one line that says why no database answers.

    Args:
        error: Django's OperationalError.

    Returns:
        None when there was a connection: the error then came from the database itself.
    """
    if getattr(error.__cause__, "sqlstate", None):
        return None
    if not os.environ.get("DATABASE_URL") and not postgres.is_running(home):
        return "PostgreSQL is not running: start it with `make up`"
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    return f"The database does not answer: {reason}"
