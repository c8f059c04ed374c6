"""
Checks whether this version can continue from the migrations of a database.

Source: docs/contributing/development.md, "Migrations".
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

OURS = "messages_app"
# The last commit that contains the replaced migrations.
LAST_WITH_REPLACED = "a9ef993"
DO = (
    f"Install Hub Console 0.1.0 from commit {LAST_WITH_REPLACED}, run `python manage.py migrate` there,"
    " then install this version and run it again."
)
_PACKAGE = "messages_app.migrations"


@cache
def replaced_migrations() -> dict[str, frozenset[str]]:
    """Return the names of the earlier migrations that each migration of this version replaces."""
    modules = iter_modules(import_module(_PACKAGE).__path__)
    names = [module.name for module in modules if not module.name.startswith("_")]
    return {
        name: frozenset(old for _, old in import_module(f"{_PACKAGE}.{name}").Migration.replaces)
        for name in names
    }


def missing_migration() -> str | None:
    """
    Return the first replaced migration that an older database lacks, or None if this version can migrate it.

    Django runs a migration if all migrations that it replaces are missing, even if its tables exist. If only
    some are missing, Django cannot load its graph.
    """
    applied = MigrationRecorder(connection).applied_migrations()
    recorded = {name for app, name in applied if app == OURS}
    begun = (olds for name, olds in replaced_migrations().items() if name in recorded or olds & recorded)
    missing = sorted(old for olds in begun for old in olds - recorded)
    return f"{OURS}.{missing[0]}" if missing else None


def refusal() -> str | None:
    """Explain in one line why this version cannot migrate the database and what to do; None if it can."""
    missing = missing_migration()
    if missing is None:
        return None
    return f"The database is older than this version can upgrade: it lacks {missing}. {DO}"
