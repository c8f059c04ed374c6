"""
The only place that makes a Spark session: a thin client of a Spark Connect server (docs/spec/design.md,
"Spark").
"""

import logging
import os
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast
from uuid import uuid4

from pyspark.errors.exceptions.connect import SparkConnectGrpcException
from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession as ConnectSession

logger = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parent.parent

# What an executor needs of this repository; it has none of its own, on a cluster.
_SHIPPED = (
    "spark_tasks/**/*.py",
    "spark_tasks/**/*.sql",
    "messages_app/__init__.py",
    "messages_app/shared/**/*.py",
    "messages_app/shared/**/*.sql",
)


# Spark's own client pauses for up to a minute: a server that is up again would find no one who asks.
_LONGEST_PAUSE_MS = 2_000
_ASKED_AGAIN = 60  # two minutes in all: several times what a server takes to start

# No join holds one side of it in memory: Spark judges its size by compressed bytes, of which millions of ids
# have few. The plan of an archive of ten million messages ended for want of memory.
_NO_BROADCASTS = ("spark.sql.autoBroadcastJoinThreshold", "-1")

# One session for each server and process, shared by its threads: a new one starts Python workers of its own,
# which takes seconds of a core, and they stay with the server until it ends.
_kept: dict[str, "_Kept"] = {}
_opening = threading.Lock()
_counting = threading.Lock()

# A session is given up after this many failures in a row. One is nearly always the job's own; but where the
# server lost what a session had shipped to it, only a new one helps.
_MOST_FAILURES = 2
# So long does an error wait until what still runs at the server is interrupted.
_INTERRUPT_SECONDS = 5.0


@dataclass(eq=False)
class _Kept:
    """
    A session that this process keeps.

    Args:
        users: how many use it now.
        failures: how many users failed since one succeeded.
    """

    session: SparkSession
    users: int = 0
    failures: int = 0


class NotLetIn(Exception):
    """The server wants a token, or another one."""


@contextmanager
def spark_session(remote: str) -> Iterator[SparkSession]:
    """
    Give this process's session at `remote` (sc://host:port), with this code shipped to its executors.

    Threads share the session. Waits while the server starts, as Spark's client does. After an error, what its
    user still has running at the server is interrupted.
    """
    kept = _keep(remote)
    session, tag = kept.session, f"hubconsole-{uuid4()}"
    session.addTag(tag)
    try:
        with _active(session):
            yield session
    except BaseException:
        kept.failures += 1
        _interrupt(session, tag)
        raise
    else:
        kept.failures = 0
    finally:
        session.removeTag(tag)
        _leave(kept)


@contextmanager
def _active(session: SparkSession) -> Iterator[None]:
    """Make it this thread's session in Spark's eyes: it makes checkpoints in that one, whosever they are."""
    of_thread = _of_connect(session)._active_session
    before = getattr(of_thread, "session", None)
    of_thread.session = session
    try:
        yield
    finally:
        of_thread.session = before


def _keep(remote: str) -> "_Kept":
    """Return the session at `remote` for one more user; a new one where none is kept that serves."""
    with _opening:
        kept = _kept.get(remote)
        if kept is not None and not _answers(kept.session):
            _end(_kept.pop(remote).session)
        elif kept is not None and kept.failures >= _MOST_FAILURES:
            del _kept[remote]
            if not kept.users:
                _end(kept.session)
        if remote not in _kept:
            _kept[remote] = _Kept(_open(remote))
        with _counting:
            _kept[remote].users += 1
        return _kept[remote]


def _leave(kept: "_Kept") -> None:
    """Take a user away; the last one ends a session that was given up."""
    with _counting:
        kept.users -= 1
        is_over = not kept.users and kept not in _kept.values()
    if is_over:
        _end(kept.session)


def _interrupt(session: SparkSession, tag: str) -> None:
    """Interrupt what runs under `tag`. A server that is gone has nothing running, and is not waited for."""
    thread = threading.Thread(target=_try_to_interrupt, args=(session, tag), daemon=True)
    thread.start()
    thread.join(_INTERRUPT_SECONDS)


def _try_to_interrupt(session: SparkSession, tag: str) -> None:
    try:
        session.interruptTag(tag)
    except Exception:  # any of Spark's or gRPC's
        logger.warning("What a failed job still has running in Spark could not be interrupted.")


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


def session_id_of(session: SparkSession) -> str:
    """Return the id under which the server has the session: a restarted one gives another."""
    return _of_connect(session).session_id


def _of_connect(session: SparkSession) -> "ConnectSession":
    # What is made here is always a Connect client's session: it has what SparkSession has, as another class.
    return cast("ConnectSession", session)


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
    return cast(SparkSession, session)


def _answers(session: SparkSession) -> bool:
    """Return whether the session still lives: the server may have been restarted, or have ended it."""
    try:
        return session.conf.get("spark.sql.session.timeZone") is not None
    except Exception:  # any of Spark's or gRPC's: a new session says better what is wrong
        return False


def end_sessions() -> None:
    """End this process's sessions while their servers answer; else Python waits for them at its exit."""
    while _kept:
        _end(_kept.popitem()[1].session)


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
