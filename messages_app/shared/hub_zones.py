"""
The times of an attached hub, whose tables have them without a zone, as instants. Executors use it too.

Source: docs/contributing/spec/hub_versions.md, "Views of a hub's tables".
"""

from psycopg import sql

# PostgreSQL cannot convert the first and the last hours of its type, and the expression is in indexes on the
# hub's tables: an error there would fail the hub's own statement.
_INSTANT = sql.SQL(
    "CASE WHEN {time} < '4714-11-25 00:00:00 BC'::timestamp THEN '-infinity'::timestamptz"
    " WHEN {time} >= '294276-12-31 00:00:00'::timestamp THEN 'infinity'::timestamptz"
    " ELSE timezone({zone}, {time}) END"
)


def instant_of(time: sql.Composable, *, zone: str) -> sql.Composed:
    """
    Return the expression of a hub's time as an instant: infinite for the first and the last day of the type.

    Views and indexes need the same expression, or PostgreSQL does not use the indexes.
    """
    return _INSTANT.format(time=time, zone=sql.Literal(zone))


def mark_of_instants(zone: str) -> str:
    """Return what the catalog's text of a view, an index or a function has before each time of a zone."""
    return f"ELSE timezone({sql.Literal(zone).as_string()}"
