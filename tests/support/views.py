"""Puts tables behind views, as those of an attached hub are."""

from django.db import connection
from psycopg import sql

# Another name for the column that a restart writes, because the view on a hub computes its value.
_FURTHER = {"message": sql.SQL(", base.last_process_timestamp AS hub_last_update")}
_COLUMNS = """
SELECT attname FROM pg_attribute
 WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped
 ORDER BY attnum
"""


def put_behind_views(*tables: str) -> None:
    """Move tables to the schema `hub`, and create a view of each under its name. The test's end undoes it."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; CREATE SCHEMA IF NOT EXISTS hub")
        for table in tables:
            cursor.execute(_COLUMNS, [table])
            columns = [sql.Identifier("base", name) for (name,) in cursor.fetchall()]
            base = sql.Identifier("hub", table)
            cursor.execute(sql.SQL("ALTER TABLE {} SET SCHEMA hub").format(sql.Identifier(table)))
            cursor.execute(
                sql.SQL("CREATE VIEW {} AS SELECT {}, base.xmin, base.ctid{} FROM {} AS base").format(
                    sql.Identifier(table),
                    sql.SQL(", ").join(columns),
                    _FURTHER.get(table, sql.SQL("")),
                    base,
                )
            )
            cursor.execute(sql.SQL("ANALYZE {}").format(base))
