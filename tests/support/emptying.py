"""
How tables become empty after a test that had transactions of its own.

Django would truncate every table and make all permissions again, which takes a third of a second, and that a
thousand times a run. Here only tables with pages are emptied; content types, permissions and the groups of
roles stay.
"""

import pytest
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

# They are those of the migrations, whatever a test does; of the groups, see _keep_roles.
_KEPT = [
    *("django_migrations", "django_content_type", "auth_permission", "auth_group", "auth_group_permissions"),
    *("error_code", "watch_rule"),
]
_LARGE_BYTES = 100_000

# One row per permission of a group: the names of both.
_RIGHTS = """
SELECT auth_group.name, 'messages_app.' || codename
  FROM auth_group
  LEFT JOIN auth_group_permissions ON group_id = auth_group.id
  LEFT JOIN auth_permission ON auth_permission.id = permission_id
"""

# One row per table that has pages: its name, and whether it is large or ANALYZE has checked it. Tables that
# the kept ones reference are never truncated: CASCADE would empty the kept ones as well.
_TABLES = """
WITH RECURSIVE referred AS (
    SELECT oid
      FROM pg_class
     WHERE relkind = 'r' AND relnamespace = current_schema::regnamespace AND relname = ANY (%(kept)s)
     UNION
    SELECT confrelid
      FROM pg_constraint
      JOIN referred ON conrelid = referred.oid AND contype = 'f'
)
SELECT relname, oid NOT IN (SELECT oid FROM referred) AND (relpages > 0 OR pg_relation_size(oid) > %(large)s)
  FROM pg_class
 WHERE relkind = 'r' AND relnamespace = current_schema::regnamespace AND relname <> ALL (%(kept)s)
   AND pg_relation_size(oid) > 0
"""


def pytest_configure(config: pytest.Config) -> None:
    from django.test import TransactionTestCase  # not before Django has its settings

    TransactionTestCase._fixture_teardown = lambda test_case: empty_tables()


def empty_tables() -> None:
    """Remove all rows that tests can have made; sequences continue, as they do with Django's own way."""
    with transaction.atomic(), connection.cursor() as cursor:
        # No foreign key asks for an order, and no trigger notes that rows went.
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(_TABLES, {"kept": _KEPT, "large": _LARGE_BYTES})
        is_large = dict(cursor.fetchall())
        # Made new where its size or its figures would tell the next test of this one. A table without rows
        # may still have the pages of rolled back rows, and each search reads them.
        if large := ", ".join(name for name in is_large if is_large[name]):
            cursor.execute(f"TRUNCATE {large} CASCADE")
        if small := [name for name in is_large if not is_large[name]]:
            cursor.execute(
                " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in small)
            )
            for (name,) in cursor.fetchall():
                cursor.execute(f"DELETE FROM {name}")
        # But for the triggers that count messages: they are always on.
        cursor.execute("DELETE FROM message_change")
        cursor.execute("DELETE FROM watch_rule WHERE NOT is_built_in")
        cursor.execute("DELETE FROM error_code WHERE NOT is_own")
        _keep_roles(cursor)


def _keep_roles(cursor: CursorWrapper) -> None:
    """Let the groups be those of the roles again, if a test changed them: writing them takes 20 ms."""
    from messages_app.access.roles import ROLES, write_roles  # not before Django has its models

    cursor.execute(_RIGHTS)
    if set(cursor.fetchall()) != {(role, right) for role, rights in ROLES.items() for right in rights}:
        cursor.execute("DELETE FROM auth_group_permissions; DELETE FROM auth_group")
        write_roles()
