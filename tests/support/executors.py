"""The connections of tasks, as another session sees them."""

import psycopg

_ASKS_FOR_OTHERS = """
SELECT EXISTS (SELECT FROM pg_stat_activity
                WHERE application_name = 'hubconsole-executor' AND query LIKE '%pg_locks%' AND state = 'idle')
"""


def asks_for_others(session: psycopg.Connection) -> bool:
    """Whether one has asked which other transactions use its tables, and waits for them."""
    return session.execute(_ASKS_FOR_OTHERS).fetchone() == (True,)
