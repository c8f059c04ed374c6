import pytest
from django.core.management import call_command
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor

from tests.support import migrating
from tests.support.databases import another_database, rows, schema

# The tables with the names of models, and what depends on their ids.
_NAMING = ("django_content_type", "auth_permission", "auth_group", "auth_group_permissions")


def _migrate_empty_database(name: str) -> tuple[str, dict[str, int], list[tuple]]:
    """Return the schema, the number of rows in each table, and the rows of tables with names of models."""
    with another_database(name):
        call_command("migrate", verbosity=0, interactive=False)
        found = rows()
        return schema(), {table: number for table, (number, _) in found.items()}, [found[t] for t in _NAMING]


@pytest.mark.django_db(transaction=True)
def test_kept_states_give_a_database_as_django_itself_makes_it(monkeypatch):
    with_kept = _migrate_empty_database("again")  # The first was that of the tests.
    monkeypatch.setattr(MigrationExecutor, "_migrate_all_forwards", migrating._migrate)
    monkeypatch.setattr(Migration, "apply", migrating._apply)
    assert with_kept == _migrate_empty_database("plain")
    assert with_kept[1]["auth_permission"] > 100
