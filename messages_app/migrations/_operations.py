"""
Operations that migrations share: SQL from `sql/`, handlers and settings of trigger functions, the roles.

Django takes every module of this package for a migration unless its name begins with an underscore.
"""

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import AddIndex, RunPython, RunSQL
from django.db.migrations.state import ProjectState

from messages_app.access import roles
from messages_app.core.table_locks import lock_timeout
from messages_app.shared.sql_files import SqlFiles

_SQL = SqlFiles("messages_app.migrations")

# At the end of a function: an error is counted, and the writer continues. WHEN OTHERS does not include a
# cancelled statement. If a statement is cancelled here, the hub's own work is done, and the function has used
# up its time.
_GAP = """EXCEPTION WHEN OTHERS OR query_canceled THEN
{raise}  BEGIN
    PERFORM note_trigger_gap('{area}', SQLSTATE, SQLERRM);
  EXCEPTION WHEN OTHERS OR query_canceled THEN
    RAISE LOG 'hubconsole: a gap in {area} could not be noted: %', SQLERRM;
  END;
  RETURN NULL;
"""
# The console itself gets the error, because its own writes must not be lost.
_RAISE = """  IF current_setting('application_name') LIKE 'hubconsole%' THEN
    RAISE;
  END IF;
"""


def sql_text(name: str) -> str:
    """Return the text of sql/<name>.sql."""
    return _SQL.read_text(name)


def run_sql(name: str, *, reverse: str = RunSQL.noop) -> RunSQL:
    """Return an operation that runs sql/<name>.sql."""
    return RunSQL(_SQL.read_text(name), reverse)


def make_functions(
    name: str, *functions: str, area: str | None = None, raises_for_console: bool = False
) -> RunSQL:
    """
    Return an operation that runs sql/<name>.sql, which creates these functions, and sets their parameters.

    With an area, {gap} in the file becomes an error handler: an error does not fail the statement of the hub,
    but is counted as a gap of the area.

    Source: docs/contributing/decisions/0023-triggers-never-fail-the-hub.md.
    """
    text = _SQL.read_text(name)
    if area:
        handler = _GAP.replace("{raise}", _RAISE if raises_for_console else "").replace("{area}", area)
        text = text.replace("{gap}", handler)
    settings = _SQL.read_text("trigger_settings").replace("{names}", "{" + ",".join(functions) + "}")
    return RunSQL(text + settings, f"DROP FUNCTION {', '.join(functions)} CASCADE")


class AddIndexOnline(AddIndexConcurrently):
    """
    Create an index while other sessions change its table. Its migration needs `atomic = False`.

    `attach` runs all migrations in one transaction, in which the index is created plainly.
    """

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        if schema_editor.connection.in_atomic_block:
            AddIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)
            return
        name = schema_editor.quote_name(self.index.name)
        # It waits for older transactions, but no other session waits for it.
        with lock_timeout("0"):
            # An attempt that was interrupted leaves an index that is not valid.
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            super().database_forwards(app_label, schema_editor, from_state, to_state)


def write_roles() -> RunPython:
    """Return an operation that gives the groups of all roles their permissions."""
    return RunPython(_write_roles, RunPython.noop)


def _write_roles(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    # Django creates permissions only after the last migration, but the groups need them now.
    app_config = apps.get_app_config("messages_app")
    app_config.models_module = True  # type: ignore[assignment]  # create_permissions needs any true value
    create_permissions(app_config, apps=apps, verbosity=0)
    app_config.models_module = None
    roles.write_roles()
