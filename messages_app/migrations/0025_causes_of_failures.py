"""Failures with the innermost error of their text; groups of the earlier rule are regrouped."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from messages_app.migrations._operations import make_functions, run_sql

_FUNCTIONS = make_functions(
    "message_functions",
    "note_updated_messages",
    "note_inserted_messages",
    "note_deleted_messages",
    "note_truncated_messages",
    area="messages",
)
# A group of the earlier rule: none of its messages is checked yet.
_MARK_GROUPS = "UPDATE failure_group SET regroup_below = 9223372036854775807"


def _replace_functions(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Replace the functions of the console's own table: those of an attached hub are replaced by `attach`."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_class WHERE oid = to_regclass('message') AND relkind = 'r'")
        if cursor.rowcount:
            cursor.execute(str(_FUNCTIONS.sql))


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0024_took_of_any_time")]

    operations = [
        run_sql("failure_excerpt", reverse="DROP FUNCTION failure_excerpt, lines_before_frames"),
        migrations.AlterField("newfailure", "text", models.TextField()),
        migrations.AddField("failuregroup", "regroup_below", models.BigIntegerField(null=True)),
        migrations.RunSQL(_MARK_GROUPS, migrations.RunSQL.noop),
        migrations.AddIndex(
            "failuregroup",
            models.Index(
                fields=["group_id"],
                name="failure_group_regroup_idx",
                condition=models.Q(regroup_below__isnull=False),
            ),
        ),
        migrations.RunPython(_replace_functions, migrations.RunPython.noop),
    ]
