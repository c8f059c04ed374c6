"""
The rights of the role that the console runs under, which may write the audit and never rewrite it.

It is another role than the owner of the tables, who migrates them. Source: reliability I-56, S-6, S-46.
"""

from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg import sql

AUDIT = "audit_entry"
_TOMBSTONES = "audit_tombstone"
_KEPT = (AUDIT, "audit_seal", _TOMBSTONES)
# What the console does at run time: rows, no tables.
_ROWS = sql.SQL("SELECT, INSERT, UPDATE, DELETE")


class UnfitRole(Exception):
    """The role does not exist, or could rewrite the audit whatever it is granted."""


def grant(role: str) -> None:
    """
    Give a role what the console needs at run time: all rows, but of the audit only to add and to read.

    Raises:
        UnfitRole: there is none, it is a superuser, or it belongs to the owner of the audit.
    """
    with connection.cursor() as cursor:
        _check(cursor, role)
        cursor.execute("SELECT current_schema()")
        schema = cursor.fetchone()[0]
        given = {"role": role, "schema": schema, "tombstones": _TOMBSTONES}
        names = {name: sql.Identifier(value) for name, value in given.items()}
        kept = sql.SQL(", ").join(map(sql.Identifier, _KEPT))
        for text in (
            "GRANT USAGE ON SCHEMA {schema} TO {role}",
            "GRANT {rows} ON ALL TABLES IN SCHEMA {schema} TO {role}",
            "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
            "REVOKE UPDATE, DELETE, TRUNCATE ON {kept} FROM {role}",
            # Under a tombstone entries may be removed.
            "REVOKE INSERT ON {tombstones} FROM {role}",
        ):
            statement = sql.SQL(text).format(rows=_ROWS, kept=kept, **names)
            cursor.execute(statement.as_string(connection.connection))


def may_rewrite() -> bool:
    """Whether the role that this connection has could rewrite the audit."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        is_super, is_owner = _powers(cursor, cursor.fetchone()[0])
        cursor.execute("SELECT has_table_privilege(%s, 'UPDATE, DELETE, TRUNCATE')", [AUDIT])
        return is_super or is_owner or cursor.fetchone()[0]


def _check(cursor: CursorWrapper, role: str) -> None:
    powers = _powers(cursor, role)
    if powers is None:
        raise UnfitRole(f"There is no role {role!r}. Make it: CREATE ROLE {role} LOGIN PASSWORD '...'.")
    is_super, is_owner = powers
    if is_super or is_owner:
        why = "a superuser" if is_super else "a member of the role that owns the audit"
        raise UnfitRole(f"{role!r} is {why}, and could rewrite the audit whatever it is granted.")


def _powers(cursor: CursorWrapper, role: str) -> tuple[bool, bool] | None:
    """Return whether a role is a superuser, and whether it belongs to the audit's owner; None: no role."""
    cursor.execute(
        "SELECT rolsuper, pg_has_role(rolname, (SELECT relowner FROM pg_class WHERE oid = %s::regclass),"
        "                             'MEMBER')"
        "  FROM pg_roles WHERE rolname = %s",
        [AUDIT, role],
    )
    return cursor.fetchone()
