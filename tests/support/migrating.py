"""
Render the models of past migrations once a run.

A run migrates some fifty empty databases, mostly of hubs to which a console is attached. Most of the
processor time goes to the models before and after each operation, which are the same each time. Each
operation still runs its statements in each database.
"""

from contextlib import nullcontext

import pytest
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ProjectState
from django.db.transaction import atomic

# The states before each operation of a migration, and after the last, by the migrations up to it.
_rendered: dict[tuple[str, ...], list[ProjectState]] = {}
_migrate, _apply = MigrationExecutor._migrate_all_forwards, Migration.apply


def pytest_configure(config: pytest.Config) -> None:
    MigrationExecutor._migrate_all_forwards = _migrate_and_copy
    Migration.apply = _apply_rendered


def _migrate_and_copy(
    executor: MigrationExecutor, state: ProjectState, *plans: list, **options: bool
) -> ProjectState:
    """Migrate, with kept states if the database is empty. Return a copy, because the command changes it."""
    if not executor.loader.applied_migrations and not any(options.values()):
        state.past = ()
    return _migrate(executor, state, *plans, **options).clone()


def _apply_rendered(
    migration: Migration, state: ProjectState, editor: BaseDatabaseSchemaEditor, collect_sql: bool = False
) -> ProjectState:
    """Do what `Migration.apply` does, with kept states."""
    if collect_sql or not hasattr(state, "past"):
        return _apply(migration, state, editor, collect_sql)
    past = (*state.past, str(migration))
    if past not in _rendered:
        _rendered[past] = _render(migration, state)
    states = _rendered[past]
    states[-1].past = past
    for operation, before, after in zip(migration.operations, states, states[1:], strict=False):
        _forget_content_types(before)
        is_atomic = operation.atomic or (migration.atomic and operation.atomic is not False)
        needs_block = is_atomic and not editor.atomic_migration
        with atomic(editor.connection.alias) if needs_block else nullcontext():
            operation.database_forwards(migration.app_label, editor, before, after)
    return states[-1]


def _render(migration: Migration, state: ProjectState) -> list[ProjectState]:
    states = [state.clone()]
    for operation in migration.operations:
        states.append(states[-1].clone())
        operation.state_forwards(migration.app_label, states[-1])
    return states


def _forget_content_types(state: ProjectState) -> None:
    """Their manager keeps the ids of the database before."""
    if ("contenttypes", "contenttype") in state.models:
        state.apps.get_model("contenttypes", "ContentType").objects.clear_cache()
