"""The only place that makes a Spark session: a thin client of a Spark Connect server (DESIGN "Spark")."""

import logging
import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.errors.exceptions.connect import SparkConnectGrpcException
from pyspark.sql import SparkSession

logger = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parent.parent

# What an executor needs of this repository; it has none of its own, on a cluster.
_SHIPPED = (
    "spark_tasks/**/*.py",
    "spark_tasks/**/*.sql",
    "messages_app/__init__.py",
    "messages_app/statements.py",
    "messages_app/messages/__init__.py",
    "messages_app/messages/states.py",
    "messages_app/message_store/__init__.py",
    "messages_app/message_store/states.py",
    "messages_app/messages/hub_defaults.py",
    "messages_app/messages/acting/__init__.py",
    "messages_app/messages/acting/fates.py",
    "messages_app/messages/acting/systems.py",
    "messages_app/grouping/__init__.py",
    "messages_app/grouping/normalising.py",
    "messages_app/grouping/fingerprints.py",
    "messages_app/web/__init__.py",
    "messages_app/web/lists/__init__.py",
    "messages_app/web/lists/cells.py",
    "messages_app/messages/sql/*",
    "messages_app/jobs/__init__.py",
    "messages_app/jobs/states.py",
)


# Spark's own client pauses for up to a minute: a server that is up again would find nobody who asks.
_LONGEST_PAUSE_MS = 2_000
_ASKED_AGAIN = 60  # two minutes in all: several times what a server takes to start

# No join holds one side of it in memory: Spark judges its size by compressed bytes, of which millions of ids
# have few. The plan of an archive of ten million messages ended for want of memory.
_NO_BROADCASTS = ("spark.sql.autoBroadcastJoinThreshold", "-1")

# One session for each server and process: a new one starts Python workers of its own, which takes seconds.
_kept: dict[str, SparkSession] = {}


class NotLetIn(Exception):
    """The server wants a token, or another one."""


@contextmanager
def spark_session(remote: str) -> Iterator[SparkSession]:
    """
    Give this process's session at `remote` (sc://host:port), with this code shipped to its executors.

    Waits while the server starts, as Spark's client does. After an error the session is ended, with what
    still runs in it, and the next caller gets a new one.
    """
    session = _kept.pop(remote, None)
    if session is not None and not _answers(session):
        _end(session)  # else Spark would go on taking it for the one in use
        session = None
    if session is None:
        session = _open(remote)
    try:
        yield session
    except BaseException:
        _end(session)
        raise
    _kept[remote] = session


def knock(remote: str) -> None:
    """
    Ask a server at `remote` something small, once, to see whether a session would be let in.

    Raises:
        NotLetIn: it takes no token, or another one.
        SparkConnectGrpcException: it does not speak as `remote` says.
    """
    session = _connected(remote)
    session.client.set_retry_policies([])
    try:
        session.conf.get("spark.sql.session.timeZone")
    except SparkConnectGrpcException as error:
        if error.getGrpcStatusCode().name == "UNAUTHENTICATED":
            raise NotLetIn from error
        raise
    finally:
        _end(session)


def _open(remote: str) -> SparkSession:
    session = _connected(remote)
    try:
        session.conf.set(*_NO_BROADCASTS)
        with tempfile.TemporaryDirectory() as folder:
            session.addArtifacts(str(_write_code(Path(folder))), pyfile=True)
    except BaseException:
        _end(session)
        raise
    return session


def _connected(remote: str) -> SparkSession:
    """Return a client's session; nothing was asked of the server yet."""
    # Spark's functions look here for whether columns are a Connect client's.
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    from pyspark.sql.connect.client import DefaultChannelBuilder
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    channel = DefaultChannelBuilder(remote, [("grpc.max_reconnect_backoff_ms", _LONGEST_PAUSE_MS)])
    session = ConnectSession.builder.channelBuilder(channel).create()
    session.client.set_retry_policies(
        [DefaultPolicy(max_retries=_ASKED_AGAIN, max_backoff=_LONGEST_PAUSE_MS)]
    )
    return session


def _answers(session: SparkSession) -> bool:
    """Return whether the session still lives: the server may have been started anew, or have ended it."""
    try:
        return session.conf.get("spark.sql.session.timeZone") is not None
    except Exception:  # any of Spark's or gRPC's: a new session says better what is wrong
        return False


def end_sessions() -> None:
    """End this process's sessions while their servers answer; else Python waits for them at its exit."""
    while _kept:
        _end(_kept.popitem()[1])


def _end(session: SparkSession) -> None:
    session.client.set_retry_policies([])  # a server that is gone need not be told
    try:
        session.stop()
    except Exception:
        logger.warning("A Spark session could not be ended; the server ends it when it is idle.")


def _write_code(folder: Path) -> Path:
    path = folder / "hubconsole_code.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for pattern in _SHIPPED:
            for file in sorted(_ROOT.glob(pattern)):
                archive.write(file, file.relative_to(_ROOT))
    return path
