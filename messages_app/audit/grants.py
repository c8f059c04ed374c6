"""
Privileges of the database roles under which the console runs. They may add to the audit log but never change
it.

These roles are not the owner of the tables, who migrates them.

Source: docs/contributing/spec/promises.md, I-56, S-6, S-7, S-46.
"""

import time
from collections.abc import Mapping
from itertools import chain

from django.conf import settings
from django.db import InternalError, OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from messages_app.audit.privileges import FURTHER, OF_EXTRA, PRIVILEGES, Part, Privileges, privileges_of_view
from messages_app.core.statements import Statements
from messages_app.core.table_locks import is_in_use
from spark_tasks.tables import named_tables
from spark_tasks.views import EXTRA

statements = Statements("messages_app.audit")


AUDIT = "audit_entry"
# PostgreSQL says so if a table is altered, or gets privileges, in the same moment.
_CHANGED = "tuple concurrently updated"
# Seconds until the next try.
_PAUSES = (0.1, 0.3, 1, 3, 5)
_NONE = (
    "REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {role}",
    "REVOKE ALL ON ALL SEQUENCES IN SCHEMA {schema} FROM {role}",
)
_ALL = (
    "GRANT USAGE ON SCHEMA {schema} TO {role}",
    # At run time the console changes rows, not tables.
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
    "REVOKE UPDATE, DELETE, TRUNCATE ON audit_entry, audit_seal, audit_tombstone FROM {role}",
    # A tombstone allows the removal of entries.
    "REVOKE INSERT ON audit_tombstone FROM {role}",
    # Events of a message are only removed with their subject: erasure/sql/may_erase.sql.
    "REVOKE UPDATE, DELETE ON message_event FROM {role}",
)


class UnfitRole(Exception):
    """The role does not exist, or it would have more privileges than its part whatever is granted."""


def grant_privileges(role: str, part: Part | None = None) -> None:
    """
    Grant a role the privileges of one part of the console, and revoke those of other parts.

    Args:
        part: the part; None: all parts, for an installation with a single role.

    Raises:
        UnfitRole: the role does not exist, is a superuser or a member of the owner of the audit log, or has
            privileges from elsewhere that its part must not have.
    """
    for pause in _PAUSES:
        try:
            _grant_once(role, part)
            return
        except InternalError as error:
            if _CHANGED not in str(error):
                raise
        except OperationalError as error:
            if not is_in_use(error):
                raise
        time.sleep(pause)
    _grant_once(role, part)


def _grant_once(role: str, part: Part | None) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        _check_role(cursor, role)
        cursor.execute("SELECT current_schema()")
        (schema,) = cursor.fetchone()
        for text in _ALL if part is None else _statements_of(part):
            named = sql.SQL(text).format(role=sql.Identifier(role), schema=sql.Identifier(schema))
            cursor.execute(named.as_string(connection.connection))
        if part is not None and (more := more_than(cursor, role, part)):
            raise UnfitRole(
                f"{role!r} could {', '.join(more[:5])} whatever it is granted: take away the roles that it"
                " belongs to, and what PUBLIC may do there."
            )


def may_rewrite() -> bool:
    """Whether the role of this connection could change the audit log."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        (role,) = cursor.fetchone()
        powers = _powers_of_role(cursor, role)
        cursor.execute("SELECT has_table_privilege(%s, 'UPDATE, DELETE, TRUNCATE')", [AUDIT])
        (may_change,) = cursor.fetchone()
        return any(powers or ()) or bool(may_change)


def _statements_of(part: Part) -> list[str]:
    clauses_by_table = {
        table: list(row[part].iterate_clauses()) for table, row in privileges_by_table().items()
    }
    return [
        *_NONE,
        "GRANT USAGE ON SCHEMA {schema} TO {role}",
        *(
            f'GRANT {", ".join(clauses)} ON "{table}" TO {{role}}'
            for table, clauses in clauses_by_table.items()
            if clauses
        ),
    ]


def privileges_by_table() -> Mapping[str, Mapping[Part, Privileges]]:
    """
    Return the privileges of each part for each table, including further tables that this installation
    archives, and on an attached hub those for its views.
    """
    archived = chain.from_iterable(
        (each.live, each.archive) for each in named_tables(settings.ARCHIVED_TABLES)
    )
    rows = {**dict.fromkeys(archived, FURTHER), **PRIVILEGES}
    for (name,) in statements.fetch_rows("hub_views", {"tables": list(rows), "extra": EXTRA}):
        rows[name] = OF_EXTRA if name == EXTRA else privileges_of_view(name, rows[name])
    return rows


def _check_role(cursor: CursorWrapper, role: str) -> None:
    powers = _powers_of_role(cursor, role)
    if powers is None:
        raise UnfitRole(f"There is no role {role!r}. Make it: CREATE ROLE {role} LOGIN PASSWORD '...'.")
    is_super, is_owner = powers
    if is_super or is_owner:
        why = "a superuser" if is_super else "a member of the role that owns the audit"
        raise UnfitRole(f"{role!r} is {why}, and could rewrite the audit whatever it is granted.")


def _powers_of_role(cursor: CursorWrapper, role: str) -> tuple[bool, bool] | None:
    """
    Return (is a superuser, is a member of the audit log's owner) of a role; None: the role does not exist.
    """
    cursor.execute(
        "SELECT rolsuper, pg_has_role(rolname, (SELECT relowner FROM pg_class WHERE oid = %s::regclass),"
        "                             'MEMBER')"
        "  FROM pg_roles WHERE rolname = %s",
        [AUDIT, role],
    )
    return cursor.fetchone()


def more_than(cursor: CursorWrapper, role: str, part: Part) -> list[str]:
    """Return the privileges of a role in this schema beyond its part, each as "UPDATE message"."""
    rows = privileges_by_table()
    cursor.execute(statements.read_text("held_privileges"), {"role": role, "tables": list(rows)})
    held = {(word, table) for word, table in cursor.fetchall()}
    rights = {(word, table) for table, row in rows.items() for word in row[part].words}
    return [f"{word} {table}" for word, table in sorted(held - rights)]
