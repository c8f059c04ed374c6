"""
Attaches the console to a hub, and detaches it.

One transaction creates the console's tables and the views in a schema of their own, so no other session sees
a table message there, which could stop the hub at its next start. The hub's tables are locked only by CREATE
TRIGGER, the last statement.

Source: docs/howto/attach.md.
"""

from collections.abc import Callable

from django.core.management import call_command
from django.core.management.commands import migrate
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

from messages_app.attach import rights
from messages_app.attach.owner import MARK
from messages_app.attach.recognition import Hub, find_viewed_tables, statements
from messages_app.attach.status import KEPT_OF
from messages_app.attach.triggers import FUNCTIONS, trigger_scripts
from messages_app.attach.views import MODELS, view_statements
from messages_app.core.table_locks import TablesBusy, attempt_in_turn
from messages_app.messages.attachment import Attachment, forget_attachment
from messages_app.messages.metrics.kinds import forget_recount
from messages_app.messages.metrics.polling import stop_polling
from messages_app.messages.suspension import SCHEMA, SUSPENDED
from messages_app.shared.sql_files import SqlFiles

# A CREATE TRIGGER or DROP TRIGGER that waits blocks the hub's writers behind it.
_MAX_WAIT = "2s"
_TRIES = 5
_SECONDS_BETWEEN = 1.0
_VIEWS = """
SELECT relname FROM pg_class
 WHERE relkind = 'v' AND relname = ANY (%s) AND relnamespace = %s::regnamespace
"""
# Archived rows in tables of the console that are not restored, by table: values that the hub's archive tables
# lack, and parts of the Parquet archive.
_ARCHIVED_HERE = {"archive_funnel": "true", "archive_extra": "true", "cold_part": "emptied_at IS NULL"}
_PATH = f'{SCHEMA}, "$user", public'


class HubBusy(Exception):
    """Transactions of the hub, or of the console, were open for too long. Nothing was changed."""

    def __init__(self, holder: str = "the hub held its table message") -> None:
        super().__init__(
            f"Transactions of {holder} for more than {_MAX_WAIT}, {_TRIES} times. Run this again when the hub"
            " is less busy."
        )


def attach_hub(hub: Hub, *, zone: str, triggers: bool) -> Attachment:
    """
    Create the console's schema with its tables and the views, or replace the views and triggers of an earlier
    run. The hub's tables are only read, or get triggers.

    Raises:
        HubBusy: the triggers could not be created, or a table of an earlier version could not be changed.
            Nothing was changed.
    """
    fingerprint = fingerprint_of(_schemas_of_hub(hub))
    attached: list[Attachment] = []

    def attach_once() -> None:
        attached.append(_attach_in_transaction(hub, zone=zone, triggers=triggers, fingerprint=fingerprint))

    try:
        attempt_in_turn(attach_once, attempts=_TRIES, seconds_between=_SECONDS_BETWEEN)
    except TablesBusy:
        raise HubBusy("the console held one of its tables") from None
    use_schema()
    return attached[0]


def use_schema() -> None:
    """Let this session of the database find the console's tables, in its own schema."""
    forget_attachment()
    with connection.cursor() as cursor:
        cursor.execute(f"SET search_path = {_PATH}")


def detach_hub(attachment: Attachment, *, keep_data: bool = False) -> None:
    """
    Drop the console's schema with everything in it, and so the triggers on the hub's table.

    Args:
        keep_data: drop only what reads the hub. A later `attach` finds the console's own data.

    Raises:
        HubBusy: the triggers could not be dropped.
    """

    def drop_schema(cursor: CursorWrapper) -> None:
        cursor.execute(f"SET LOCAL search_path = {SCHEMA}")
        _drop_triggers(cursor)
        if not keep_data:
            cursor.execute(f"DROP SCHEMA {SCHEMA} CASCADE")
            return
        _drop_views(cursor)
        Attachment.objects.filter(pk=attachment.pk).delete()
        _set_note(cursor, f"{KEPT_OF}{attachment.hub_schema}")

    _apply_in_turn(drop_schema)
    forget_attachment()


def suspend_views() -> None:
    """
    Drop the views and triggers of the hub's tables, so that its owner can change them. `attach` puts them
    back.

    Raises:
        HubBusy: the triggers could not be dropped. Nothing was changed.
    """

    def drop_views(cursor: CursorWrapper) -> None:
        cursor.execute(f"SET LOCAL search_path = {SCHEMA}")
        _drop_triggers(cursor)
        _drop_views(cursor)
        _set_note(cursor, SUSPENDED)

    _apply_in_turn(drop_views)


def _attach_in_transaction(hub: Hub, *, zone: str, triggers: bool, fingerprint: str) -> Attachment:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = '{_MAX_WAIT}'")
        _create_schema(cursor)
        cursor.execute(f"SET LOCAL search_path = {SCHEMA}")
        if _is_migration_pending():
            # Migrations lock tables that the triggers of an earlier version write to, and keep them locked.
            _apply_in_turn(_drop_triggers)
        # A table with checks to come cannot be altered, and all migrations are one transaction here.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        # Django's own command: the console's refuses a database with the tables of a hub.
        call_command(migrate.Command(), verbosity=0, interactive=False, skip_checks=True)
        _replace_tables(cursor, hub, zone)
        _set_note(cursor, None)
        attachment = _store_attachment(hub, zone=zone, triggers=triggers, fingerprint=fingerprint)
        if triggers:
            stop_polling()
            forget_recount()
            _create_triggers(cursor, hub, zone)
    return attachment


def _drop_views(cursor: CursorWrapper) -> None:
    cursor.execute(_VIEWS, [list(MODELS), SCHEMA])
    for (name,) in cursor.fetchall():
        cursor.execute(sql.SQL("DROP VIEW {} CASCADE").format(sql.Identifier(SCHEMA, name)))


def _set_note(cursor: CursorWrapper, note: str | None) -> None:
    """Describe the console's schema: the description survives until the next `attach`."""
    statement = sql.SQL("COMMENT ON SCHEMA {} IS {}").format(sql.Identifier(SCHEMA), sql.Literal(note))
    cursor.execute(statement)


def archived_by_console() -> str:
    """Return the numbers of archived rows that only the console has, as text, or an empty text."""
    counts: list[tuple[str, int]] = []
    with connection.cursor() as cursor:
        for table, condition in _ARCHIVED_HERE.items():
            cursor.execute("SELECT 1 FROM pg_class WHERE oid = to_regclass(%s) AND relkind = 'r'", [table])
            if cursor.fetchone():
                query = sql.SQL("SELECT count(*) FROM {} WHERE {}")
                cursor.execute(query.format(sql.Identifier(table), sql.SQL(condition)))
                counts.append((table, cursor.fetchone()[0]))
    return ", ".join(f"{count} in {table}" for table, count in counts if count)


def fingerprint_of(schemas: list[str]) -> str:
    """
    Return a digest of the catalog of these schemas, without archive tables that the console has created.

    Call it outside of a transaction.
    """
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SET LOCAL search_path = pg_catalog")
        digest: str = statements.only_row("fingerprint", {"schemas": schemas, "mark": MARK})[0]
        return digest


def schemas_of(attachment: Attachment) -> list[str]:
    """Return the schemas of an attached hub."""
    return sorted({attachment.hub_schema, attachment.archive_schema} - {""})


def _is_migration_pending() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _create_schema(cursor: CursorWrapper) -> None:
    """Create the console's schema, unless it exists: IF NOT EXISTS would need the privilege in any case."""
    cursor.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [SCHEMA])
    if cursor.fetchone() is None:
        cursor.execute(f"CREATE SCHEMA {SCHEMA}")


def _schemas_of_hub(hub: Hub) -> list[str]:
    return sorted({hub.schema, *find_viewed_tables(hub).values()})


def _store_attachment(hub: Hub, *, zone: str, triggers: bool, fingerprint: str) -> Attachment:
    """Store the attachment. The fingerprint of the first run stays: later ones include what is ours."""
    values = {
        "hub_schema": hub.schema,
        "archive_schema": hub.archives[0].schema if len(hub.archives) == 1 else "",
        "family": hub.family.label,
        "rules": hub.family.rules,
        "time_zone": zone,
        "has_triggers": triggers,
        "missing_grants": rights.missing_grants(hub),
    }
    attachment, _ = Attachment.objects.update_or_create(
        pk=1, defaults=values, create_defaults={**values, "fingerprint": fingerprint}
    )
    return attachment


def _replace_tables(cursor: CursorWrapper, hub: Hub, zone: str) -> None:
    """Put the views of the hub in the place of the console's own tables, or of earlier views."""
    _apply_in_turn(_drop_triggers)
    for table in find_viewed_tables(hub):
        cursor.execute("SELECT relkind = 'v' FROM pg_class WHERE oid = to_regclass(%s)", [table])
        for (is_view,) in cursor.fetchall():
            drop = sql.SQL("DROP VIEW {} CASCADE" if is_view else "DROP TABLE {} CASCADE")
            cursor.execute(drop.format(sql.Identifier(SCHEMA, table)))
    if "node_id" in hub.family.tables["message"]:
        cursor.execute(statements.read_text("archive_extra"))
    for statement in view_statements(hub, zone=zone):
        cursor.execute(statement)
    for table, model in MODELS.items():
        cursor.execute("SELECT to_regclass(%s)", [f"{SCHEMA}.{table}"])
        if cursor.fetchone() == (None,):  # The hub had such a table when it was attached before.
            with connection.schema_editor() as editor:
                editor.create_model(model)
    cursor.execute("SELECT to_regclass('archived_relative')")
    if cursor.fetchone() == (None,):  # It was a view of a dropped table.
        cursor.execute(SqlFiles("messages_app.migrations").read_text("archived_relative"))


def _drop_triggers(cursor: CursorWrapper) -> None:
    """
    Drop the triggers by dropping their functions, which the console owns. This locks the hub's table.

    Do this before other tables are locked: the triggers of the hub's writers lock in the same order.
    """
    cursor.execute(f"DROP FUNCTION IF EXISTS {', '.join(FUNCTIONS)} CASCADE")


def _create_triggers(cursor: CursorWrapper, hub: Hub, zone: str) -> None:
    scripts = trigger_scripts(hub, zone=zone)
    cursor.execute(scripts.functions)
    _apply_in_turn(lambda cursor: cursor.execute(scripts.triggers))


def _apply_in_turn(change: Callable[[CursorWrapper], None]) -> None:
    """Make a change that locks the hub's table, and let the hub's writers pass between attempts."""

    def change_tables() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{_MAX_WAIT}'")
            change(cursor)

    try:
        attempt_in_turn(change_tables, attempts=_TRIES, seconds_between=_SECONDS_BETWEEN)
    except TablesBusy:
        raise HubBusy from None
