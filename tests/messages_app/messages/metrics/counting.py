"""Compute the expected counts from all messages, one by one."""

from django.db import connection

_COLUMNS = "state, service_name, operation_name, source_system"

_ALL = f"""
SELECT date_trunc('minute', coalesce(last_process_timestamp, receive_timestamp), 'UTC'), {_COLUMNS},
       coalesce(failed_error_code, ''), count(*)
  FROM message
 GROUP BY 1, 2, 3, 4, 5, 6
"""
_ALL_BY_DAY = _ALL.replace("'minute'", "'day'")
_PRESENT_BY_DAY = f"""
SELECT date_trunc('day', minute, 'UTC'), {_COLUMNS}, failed_error_code, sum(present)
  FROM message_rollup
 GROUP BY 1, 2, 3, 4, 5, 6
HAVING sum(present) <> 0
"""
_PRESENT = f"""
SELECT minute, {_COLUMNS}, failed_error_code, present
  FROM message_rollup
 WHERE present <> 0
"""
_ENTERED = """
SELECT state, sum(entered)
  FROM message_rollup
 GROUP BY state
HAVING sum(entered) <> 0
"""


def counted_one_by_one() -> set[tuple]:
    """Return minute, state, service, operation, source, error code and count of all live messages."""
    return _rows(_ALL)


def counts() -> set[tuple]:
    """Return the same from the table of counts."""
    return _rows(_PRESENT)


def counted_by_day() -> set[tuple]:
    """Return the same by day, like the counts of old minutes."""
    return _rows(_ALL_BY_DAY)


def counts_by_day() -> set[tuple]:
    return _rows(_PRESENT_BY_DAY)


def entries() -> dict[str, int]:
    """Return how often messages entered each state."""
    return dict(_rows(_ENTERED))


def _rows(sql: str) -> set[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return set(cursor.fetchall())
