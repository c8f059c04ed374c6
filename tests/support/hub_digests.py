"""A digest of each table of a hub, independent of the product: no statement of it is the product's."""

from collections.abc import Collection

from django.db import connection

_KEYS = {
    "message": "msg_id",
    "external_call": "call_id",
    "request": "req_id",
    "response": "res_id",
    "funnel": "funnel_id",
    "node": "node_id",
    "configuration_item": "code",
}
_TABLES = """
SELECT schemaname, tablename FROM pg_tables
 WHERE tablename = ANY (%s) AND schemaname NOT IN ('hubconsole', 'information_schema', 'pg_catalog')
"""


_WITHOUT_MESSAGES = {"node", "configuration_item"}


def digests(
    *, without: Collection[str] = (), without_messages: Collection[int] = ()
) -> dict[str, tuple[int, str | None]]:
    """
    Return for each table of the hub, live and archived, its number of rows and the md5 of the rows by key.

    Args:
        without: names of tables to leave out.
        without_messages: ids of messages whose rows to leave out.
    """
    keys = _KEYS | {f"archive_{name}": key for name, key in _KEYS.items()}
    with connection.cursor() as cursor:
        cursor.execute(_TABLES, [[name for name in keys if name not in without]])
        found = {}
        for schema, table in sorted(cursor.fetchall()):
            chosen = "" if table in _WITHOUT_MESSAGES else " WHERE row.msg_id = ANY (%s) IS NOT TRUE"
            cursor.execute(
                f"SELECT count(*), md5(string_agg(row::text, E'\\n' ORDER BY row.{keys[table]}))"
                f' FROM "{schema}"."{table}" AS row{chosen}',
                [list(without_messages)] if chosen else None,
            )
            found[f"{schema}.{table}"] = cursor.fetchone()
    return found
