"""
Rules of migrations that change tables with rows while the hub and the former version of the console use them.

Source: docs/contributing/development.md, "Migrations".
"""

import re
from collections.abc import Iterator

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db.migrations import Migration, RunPython, RunSQL, SeparateDatabaseAndState, operations
from django.db.migrations.operations.base import Operation
from django.db.models import Field, GeneratedField
from django.db.models.expressions import Value
from django.db.models.fields import NOT_PROVIDED
from django.db.models.functions import Now

from messages_app.migrations._operations import AddIndexOnline, _write_roles

# The last migration of the version from which tests upgrade. Earlier ones change no database with rows.
OLDEST = "0036_audit_stream"

_REMOVING = {
    operations.RemoveField: "removes a column",
    operations.RenameField: "renames a column",
    operations.AlterField: "alters a column",
    operations.DeleteModel: "removes a table",
    operations.RenameModel: "renames a table",
    operations.AlterModelTable: "renames a table",
}
_FUNCTION_BODY = re.compile(r"(\$\w*\$).*?\1", re.DOTALL)
_COMMENT = re.compile(r"--[^\n]*")
_STATEMENTS = {
    "changes rows": r"\b(UPDATE|DELETE\s+FROM|INSERT\s+INTO)\s",
    "creates an index that blocks writers": r"\bCREATE\s+(UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY)",
    "alters a column": r"\bALTER\s+(COLUMN\s+)?\w+\s+(TYPE|SET\s+NOT\s+NULL|SET\s+DATA)\b",
    "removes something": r"\bDROP\s+(TABLE|COLUMN|VIEW|MATERIALIZED)\b",
    "adds a constraint that is checked at once": (
        r"\bADD\s+(CONSTRAINT|CHECK|FOREIGN|UNIQUE|PRIMARY)\b(?!.*NOT\s+VALID)"
    ),
    "rewrites a table": r"\b(CLUSTER|VACUUM\s+FULL|SET\s+(UN)?LOGGED|SET\s+TABLESPACE)\b",
}


def faults_of(migration: Migration) -> list[str]:
    """Return what the migration does that makes others wait, or that the former version would fail on."""
    created: set[str] = set()
    faults: list[str] = []
    for operation in _flatten(migration.operations):
        if isinstance(operation, operations.CreateModel):
            created.add(operation.name_lower)
        elif getattr(operation, "model_name", "").lower() not in created:
            faults.extend(_faults_of_operation(migration, operation))
    return faults


def _flatten(each: list[Operation]) -> Iterator[Operation]:
    for operation in each:
        if isinstance(operation, SeparateDatabaseAndState):
            yield from _flatten(operation.database_operations)
        else:
            yield operation


def _faults_of_operation(migration: Migration, operation: Operation) -> Iterator[str]:
    model = getattr(operation, "model_name", None) or getattr(operation, "name", "")
    for kind, fault in _REMOVING.items():
        if isinstance(operation, kind):
            field = f".{operation.name}" if hasattr(operation, "model_name") else ""
            yield f"{model}{field}: {fault} that the former version uses"
    if isinstance(operation, AddIndexOnline):
        if migration.atomic:
            yield f"{model}: AddIndexOnline needs atomic = False"
    elif isinstance(operation, operations.AddIndex):
        yield f"{model}: creates an index that blocks writers"
    if isinstance(operation, operations.AddConstraint) and not isinstance(operation, AddConstraintNotValid):
        yield f"{model}: adds a constraint that is checked at once"
    if isinstance(operation, operations.AddField):
        yield from (f"{model}.{operation.name}: {fault}" for fault in _faults_of_column(operation.field))
    if isinstance(operation, RunPython) and operation.code is not _write_roles:
        yield "runs Python, perhaps for many rows in one transaction"
    if isinstance(operation, RunSQL):
        yield from _faults_of_sql(operation.sql)


def _faults_of_column(field: Field) -> Iterator[str]:
    if isinstance(field, GeneratedField):
        yield "rewrites the table"
        return
    has_default = field.db_default is not NOT_PROVIDED
    if not field.null and not has_default and not field.many_to_many:
        yield "needs a value, which the former version does not give; add db_default"
    is_computed = has_default and hasattr(field.db_default, "resolve_expression")
    if is_computed and not isinstance(field.db_default, Now | Value):
        yield "may rewrite the table, because its default may differ by row"
    if field.db_index or field.unique:
        yield "creates an index that blocks writers"


def _faults_of_sql(text: object) -> Iterator[str]:
    if not isinstance(text, str):
        yield "runs SQL that is not one text"
        return
    outside = _COMMENT.sub("", _FUNCTION_BODY.sub("''", text))
    for statement in outside.split(";"):
        for fault, pattern in _STATEMENTS.items():
            if re.search(pattern, statement, re.IGNORECASE | re.DOTALL):
                yield fault
