"""
Refuses a connection pooler between the console and PostgreSQL that does not keep its sessions.

The console needs a session of its own for each connection: settings that it sends with the connection (time
limits, search path, jit), locks that outlive a transaction, and prepared statements. A pooler in transaction
or statement mode gives each transaction any session. Most poolers also drop or refuse the settings.

Source: docs/howto/attach.md, "Poolers and standbys".
"""

import sys
from collections.abc import Callable
from time import monotonic

import psycopg
from django.db import OperationalError, connection

_SESSION = "SELECT pg_backend_pid(), pg_postmaster_start_time()::text"
# Settings that were sent with the connection, or by a pooler that does it afterwards. A newer PgBouncer keeps
# the search path and may drop the others.
_SENT = (
    "SELECT bool_and(source IN ('client', 'session')) FROM pg_settings WHERE name IN ('jit', 'search_path')"
)
_REFUSED = "startup parameter"
# The order in which two connections ask. A pooler answers one of them from two sessions, or both from one,
# even if it takes its idle sessions in turns. Repeated, because others that wait may take turns with these.
_ORDER = (0, 0, 1, 1, 0, 1) * 4

# A pooler keeps its mode for longer than this. Probes of /health/ do not connect twice more each time.
_KNOWN_SECONDS = 300.0
_faults: dict[tuple[object, ...], tuple[float, str | None]] = {}

Connect = Callable[[], psycopg.Connection]


def refusal_of_pooler() -> tuple[str, str] | None:
    """Return a clause about a pooler with which the console cannot work, and what to do; or None."""
    address = tuple(connection.settings_dict[name] for name in ("HOST", "PORT", "NAME", "USER"))
    at, fault = _faults.get(address, (0.0, None))
    if not at or monotonic() - at > _KNOWN_SECONDS:
        with connection.wrap_database_errors:
            fault = why_unusable(_connect_plainly)
        _faults[address] = (monotonic(), fault)
    if fault is None:
        return None
    why = f"DATABASE_URL leads through a connection pooler, such as PgBouncer, that {fault}"
    return why, "Set DATABASE_URL to PostgreSQL itself."


def end_behind_pooler() -> None:
    """
    End this service with one line if a pooler would take away its time limits and locks.

    While the database does not answer, the service continues, because the database may return.
    """
    try:
        refused = refusal_of_pooler()
    except OperationalError:
        return
    if refused:
        sys.stderr.write(f"hubconsole: {'. '.join(refused)}\n")
        raise SystemExit(1)


def why_unusable(connect: Connect) -> str | None:
    """
    Return what a pooler on the way to the database does, as the end of a sentence about it, or None.

    Args:
        connect: opens a connection with the settings that the console sends, in autocommit.

    Raises:
        psycopg.OperationalError: the database does not answer.
    """
    try:
        with connect() as first, connect() as second:
            if not _is_sent(first):
                return "drops the settings of the console's sessions"
            if _has_mixed_sessions(first, second):
                return "gives each transaction another session"
    except psycopg.OperationalError as error:
        if _REFUSED in str(error):
            return "refuses the settings of the console's sessions"
        raise
    return None


def _connect_plainly() -> psycopg.Connection:
    """Connect as Django does, but without its cursors and prepared statements."""
    parameters = connection.get_connection_params()
    for name in ("cursor_factory", "context"):
        parameters.pop(name, None)
    return psycopg.connect(**parameters | {"autocommit": True, "prepare_threshold": None})


def _is_sent(session: psycopg.Connection) -> bool:
    return session.execute(_SENT).fetchone() == (True,)


def _has_mixed_sessions(*connections: psycopg.Connection) -> bool:
    """Whether two connections do not have one session each."""
    sessions: tuple[set, set] = set(), set()
    for place in _ORDER:
        sessions[place].add(connections[place].execute(_SESSION).fetchone())
    return len(sessions[0]) > 1 or len(sessions[1]) > 1 or not sessions[0].isdisjoint(sessions[1])
