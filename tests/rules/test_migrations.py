"""Later migrations lock no table for long, and the former version can use what they leave."""

import pytest
from django.contrib.postgres.functions import RandomUUID
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import models
from django.db.migrations import Migration, RunPython, RunSQL, SeparateDatabaseAndState, operations
from django.db.migrations.loader import MigrationLoader

from messages_app.migrations._operations import AddIndexOnline, run_sql, write_roles
from tests.rules.migrations import OLDEST, faults_of

# By migration: each fault with the reason why it is right.
DECLARED: dict[str, dict[str, str]] = {}

_INDEX = models.Index(fields=["at"], name="message_at_idx")
_CHECK = models.CheckConstraint(condition=models.Q(number=1), name="number_is_one")
_UNIQUE = models.UniqueConstraint(fields=["number"], name="uq_number")


def made_of(*each: operations.base.Operation, atomic: bool = True) -> list[str]:
    migration = Migration("0099_sample", "messages_app")
    migration.operations, migration.atomic = list(each), atomic
    return faults_of(migration)


def later_migrations() -> list[Migration]:
    loader = MigrationLoader(None)
    (leaf,) = loader.graph.leaf_nodes("messages_app")
    plan = [key for key in loader.graph.forwards_plan(leaf) if key[0] == "messages_app"]
    return [loader.disk_migrations[key] for key in plan[plan.index(("messages_app", OLDEST)) + 1 :]]


def test_later_migrations_are_safe_while_the_former_version_runs():
    faults = {migration.name: faults_of(migration) for migration in later_migrations()}
    assert len(faults) >= 3
    assert {name: each for name, each in faults.items() if each} == {
        name: list(each) for name, each in DECLARED.items()
    }


def test_only_migrations_that_are_called_contract_remove_something():
    removing = {name for name, each in DECLARED.items() if any("the former version uses" in f for f in each)}
    assert {name for name in removing if not name.endswith("_contract")} == set()


@pytest.mark.parametrize(
    ("operation", "fault"),
    [
        (
            operations.RemoveField("Message", "node_id"),
            "Message.node_id: removes a column that the former version uses",
        ),
        (operations.RenameField("message", "a", "b"), "renames a column"),
        (operations.AlterField("message", "a", models.TextField()), "alters a column"),
        (operations.DeleteModel("Message"), "Message: removes a table that the former version uses"),
        (operations.RenameModel("Message", "Other"), "renames a table"),
        (operations.AddIndex("message", _INDEX), "message: creates an index that blocks writers"),
        (AddIndexOnline("message", _INDEX), "needs atomic = False"),
        (operations.AddConstraint("message", _CHECK), "adds a constraint that is checked at once"),
        (operations.AddConstraint("message", _UNIQUE), "adds a constraint that is checked at once"),
        (operations.AddField("message", "a", models.JSONField(default=list)), "message.a: needs a value"),
        (
            operations.AddField("message", "a", models.UUIDField(db_default=RandomUUID())),
            "may rewrite the table",
        ),
        (
            operations.AddField("message", "a", models.IntegerField(null=True, db_index=True)),
            "creates an index",
        ),
        (
            operations.AddField("message", "a", models.ForeignKey("Job", models.CASCADE, null=True)),
            "creates an index that blocks writers",
        ),
        (RunPython(lambda apps, editor: None), "runs Python"),
        (RunSQL("UPDATE message SET node_id = 1"), "changes rows"),
        (
            RunSQL("SELECT 1; CREATE UNIQUE INDEX i ON message (node_id)"),
            "creates an index that blocks writers",
        ),
        (RunSQL("ALTER TABLE message ALTER COLUMN payload TYPE text"), "alters a column"),
        (RunSQL("ALTER TABLE message ALTER node_id SET NOT NULL"), "alters a column"),
        (RunSQL("ALTER TABLE message ADD CONSTRAINT c CHECK (node_id > 0)"), "adds a constraint"),
        (RunSQL("ALTER TABLE message DROP COLUMN node_id"), "removes something"),
        (SeparateDatabaseAndState([RunSQL("DROP TABLE message")]), "removes something"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_blocks_others_or_breaks_the_former_version_is_found(operation, fault):
    (found,) = made_of(operation)
    assert fault in found


@pytest.mark.parametrize(
    "operation",
    [
        operations.AddField("message", "a", models.IntegerField(null=True)),
        operations.AddField("message", "a", models.TextField(db_default="")),
        operations.AddField("message", "a", models.DateTimeField(db_default=models.functions.Now())),
        AddConstraintNotValid("message", _CHECK),
        operations.RemoveIndex("message", "message_at_idx"),
        RunSQL("ALTER TABLE message ADD CONSTRAINT c CHECK (node_id > 0) NOT VALID"),
        RunSQL("ALTER TABLE message SET (fillfactor = 80)"),
        run_sql("next_hub_id"),
        write_roles(),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_what_disturbs_no_one_passes(operation):
    assert made_of(operation) == []


def test_a_table_of_the_same_migration_may_get_anything():
    table = operations.CreateModel("New", [("id", models.BigAutoField(primary_key=True))])
    assert made_of(table, operations.AddIndex("new", _INDEX)) == []


def test_an_index_that_is_created_online_passes_outside_of_a_transaction():
    assert made_of(AddIndexOnline("message", _INDEX), atomic=False) == []
