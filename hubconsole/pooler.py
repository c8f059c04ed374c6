"""
Detects a connection pooler between the console and PostgreSQL that does not keep its sessions.

The console needs a session of its own for each connection: settings that it sends with the connection (time
limits, search path, jit), locks that outlive a transaction, and prepared statements. A pooler in transaction
or statement mode gives each transaction any session. Most poolers also drop or refuse the settings.

Source: docs/howto/attach.md, "Poolers and standbys".
"""

from collections.abc import Callable

import psycopg

_SESSION = "SELECT pg_backend_pid(), pg_postmaster_start_time()::text"
# Of a setting that was sent with the connection, or by a pooler that does it afterwards.
_SENT = "SELECT source IN ('client', 'session') FROM pg_settings WHERE name = 'search_path'"
_REFUSED = "startup parameter"
# The order in which two connections ask. A pooler answers one of them from two sessions, or both from one,
# even if it takes its idle sessions in turns. Repeated, because others that wait may take turns with these.
_ORDER = (0, 0, 1, 1, 0, 1) * 4

Connect = Callable[[], psycopg.Connection]


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
            if _mixes_sessions(first, second):
                return "gives each transaction another session"
    except psycopg.OperationalError as error:
        if _REFUSED in str(error):
            return "refuses the settings of the console's sessions"
        raise
    return None


def _is_sent(connection: psycopg.Connection) -> bool:
    return connection.execute(_SENT).fetchone() == (True,)


def _mixes_sessions(*connections: psycopg.Connection) -> bool:
    """Whether two connections do not have one session each."""
    sessions: tuple[set, set] = set(), set()
    for place in _ORDER:
        sessions[place].add(connections[place].execute(_SESSION).fetchone())
    return len(sessions[0]) > 1 or len(sessions[1]) > 1 or not sessions[0].isdisjoint(sessions[1])
