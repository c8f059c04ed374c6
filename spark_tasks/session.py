"""
Opens Spark sessions, the only module that does: thin clients of a Spark Connect server
(docs/contributing/spec/design.md, "Spark").
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

# The modules of this repository that an executor needs. On a cluster it has no copy of its own.
_SHIPPED = (
    "spark_tasks/**/*.py",
    "spark_tasks/**/*.sql",
    "messages_app/__init__.py",
    "messages_app/shared/**/*.py",
    "messages_app/shared/**/*.sql",
    "messages_app/shared/**/*.toml",
)


# Spark's own client pauses for up to a minute, too long after a server is up again.
_MAX_PAUSE_MS = 2_000
_ASKED_AGAIN = 60  # two minutes in all: several times the start of a server

# No join builds a hash table of one side in memory. Spark estimates its size by compressed bytes, which are
# few for millions of ids: the plan of an archive of ten million messages once ran out of memory.
_NO_BROADCASTS = ("spark.sql.autoBroadcastJoinThreshold", "-1")

# One session for each server and process, shared by its threads. A new session starts Python workers of its
# own, which takes seconds of CPU time, and they stay on the server until it ends.
_shared_sessions: dict[str, "_KeptSession"] = {}
_opening = threading.Lock()
_counting = threading.Lock()

# A session is replaced after this many consecutive failures. A single failure is nearly always the job's own,
# but if the server lost files of a session, only a new session helps.
_MAX_FAILURES = 2
# How long an error waits for the interruption of what still runs on the server.
_INTERRUPT_SECONDS = 5.0


@dataclass(eq=False)
class _KeptSession:
    """
    A session that this process keeps.

    Args:
        users: number of current users.
        failures: number of users that failed since one succeeded.
    """

    session: SparkSession
    users: int = 0
    failures: int = 0


class AccessDenied(Exception):
    """The server requires a token, or another one."""


@contextmanager
def spark_session(remote: str) -> Iterator[SparkSession]:
    """
    Yield this process's session at `remote` (sc://host:port), with this code shipped to its executors.

    Threads share the session. Waits while the server starts, as Spark's client does. After an error,
    everything that its user still runs on the server is interrupted.
    """
    shared = _keep_session(remote)
    session, tag = shared.session, f"hubconsole-{uuid4()}"
    session.addTag(tag)
    try:
        with _make_active(session):
            yield session
    except BaseException:
        shared.failures += 1
        _interrupt_tag(session, tag)
        raise
    else:
        shared.failures = 0
    finally:
        session.removeTag(tag)
        _leave_session(shared)


@contextmanager
def _make_active(session: SparkSession) -> Iterator[None]:
    """Make the session this thread's active one in Spark, which uses that one for every checkpoint."""
    of_thread = _cast_to_connect(session)._active_session
    before = getattr(of_thread, "session", None)
    of_thread.session = session
    try:
        yield
    finally:
        of_thread.session = before


def _keep_session(remote: str) -> "_KeptSession":
    """Return the session at `remote` for one more user, or a new one if none works."""
    with _opening:
        shared = _shared_sessions.get(remote)
        if shared is not None and not _is_answering(shared.session):
            _end_session(_shared_sessions.pop(remote).session)
        elif shared is not None and shared.failures >= _MAX_FAILURES:
            del _shared_sessions[remote]
            if not shared.users:
                _end_session(shared.session)
        if remote not in _shared_sessions:
            _shared_sessions[remote] = _KeptSession(_open_session(remote))
        with _counting:
            _shared_sessions[remote].users += 1
        return _shared_sessions[remote]


def _leave_session(shared: "_KeptSession") -> None:
    """Remove a user; the last one ends a session that must be replaced."""
    with _counting:
        shared.users -= 1
        is_over = not shared.users and shared not in _shared_sessions.values()
    if is_over:
        _end_session(shared.session)


def _interrupt_tag(session: SparkSession, tag: str) -> None:
    """Interrupt everything that runs under `tag`. Does not wait for a server that is gone."""
    thread = threading.Thread(target=_try_to_interrupt, args=(session, tag), daemon=True)
    thread.start()
    thread.join(_INTERRUPT_SECONDS)


def _try_to_interrupt(session: SparkSession, tag: str) -> None:
    try:
        session.interruptTag(tag)
    except Exception:  # Any error of Spark or gRPC.
        logger.warning("The remaining Spark tasks of a failed job could not be interrupted.")


def check_access(remote: str) -> None:
    """
    Send one small request to the server at `remote` to check whether it would accept a session.

    Raises:
        AccessDenied: it requires a token, or another one.
        SparkConnectGrpcException: its protocol is not the one in `remote`.
    """
    session = _connect_to_server(remote)
    session.client.set_retry_policies([])
    try:
        session.conf.get("spark.sql.session.timeZone")
    except SparkConnectGrpcException as error:
        if error.getGrpcStatusCode().name == "UNAUTHENTICATED":
            raise AccessDenied from error
        raise
    finally:
        _end_session(session)


def _open_session(remote: str) -> SparkSession:
    session = _connect_to_server(remote)
    try:
        session.conf.set(*_NO_BROADCASTS)
        with tempfile.TemporaryDirectory() as folder:
            session.addArtifacts(str(_write_code(Path(folder))), pyfile=True)
    except BaseException:
        _end_session(session)
        raise
    return session


def session_id_of(session: SparkSession) -> str:
    """Return the server's id of the session; it changes when the server restarts."""
    return _cast_to_connect(session).session_id


def _cast_to_connect(session: SparkSession) -> "ConnectSession":
    # All sessions here are those of Connect clients, another class with the methods of SparkSession.
    return cast("ConnectSession", session)


def _connect_to_server(remote: str) -> SparkSession:
    """Return a client's session, without any request to the server yet."""
    # Spark's functions read this variable to decide whether columns belong to a Connect client.
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    from pyspark.sql.connect.client import DefaultChannelBuilder
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    channel = DefaultChannelBuilder(remote, [("grpc.max_reconnect_backoff_ms", _MAX_PAUSE_MS)])
    session = ConnectSession.builder.channelBuilder(channel).create()
    session.client.set_retry_policies([DefaultPolicy(max_retries=_ASKED_AGAIN, max_backoff=_MAX_PAUSE_MS)])
    return cast(SparkSession, session)


def _is_answering(session: SparkSession) -> bool:
    """Return whether the session still exists: the server may have restarted, or have ended it."""
    try:
        return session.conf.get("spark.sql.session.timeZone") is not None
    except Exception:  # Any error of Spark or gRPC: a new session reports the cause better.
        return False


def end_sessions() -> None:
    """
    End this process's sessions while their servers answer; otherwise Python waits for them when it exits.
    """
    while _shared_sessions:
        _end_session(_shared_sessions.popitem()[1].session)


def _end_session(session: SparkSession) -> None:
    session.client.set_retry_policies([])  # A server that is gone needs no notice.
    try:
        session.stop()
    except Exception:
        logger.warning("A Spark session could not be ended; the server ends it when it is idle.")


def _write_code(folder: Path) -> Path:
    path = folder / "hubconsole_code.zip"
    # Files of an image may be as old as 1970, which a ZIP file cannot hold.
    with zipfile.ZipFile(path, "w", strict_timestamps=False) as archive:
        for pattern in _SHIPPED:
            for file in sorted(_ROOT.glob(pattern)):
                archive.write(file, file.relative_to(_ROOT))
    return path
