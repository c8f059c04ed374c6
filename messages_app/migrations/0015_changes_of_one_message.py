"""The changes of one message as they are, without a key, and the trigger functions that record them."""

from django.apps.registry import Apps
from django.contrib.postgres.fields import ArrayField
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


def _replace_functions(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Replace the functions of the console's own table: those of an attached hub are replaced by `attach`."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_class WHERE oid = to_regclass('message') AND relkind = 'r'")
        if cursor.rowcount:
            cursor.execute(str(_FUNCTIONS.sql))


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0014_polling")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[run_sql("change_columns")],
            state_operations=[
                migrations.DeleteModel("MessageChange"),
                migrations.CreateModel(
                    name="MessageChange",
                    fields=[
                        (
                            "pk",
                            models.CompositePrimaryKey(
                                "minute",
                                "state",
                                "service_name",
                                blank=True,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("minute", models.DateTimeField()),
                        ("state", models.CharField(max_length=15)),
                        ("service_name", models.CharField(max_length=30)),
                        ("operation_name", models.CharField(max_length=100)),
                        ("source_system", models.CharField(max_length=15)),
                        ("failed_error_code", models.CharField(max_length=5, null=True)),
                        ("present", models.IntegerField()),
                        ("entered", models.IntegerField()),
                        ("took", ArrayField(base_field=models.SmallIntegerField(), null=True, size=None)),
                        ("received_at", models.DateTimeField(null=True)),
                        ("at", models.DateTimeField(null=True)),
                        ("old_minute", models.DateTimeField(null=True)),
                        ("old_state", models.CharField(max_length=15, null=True)),
                        ("old_service_name", models.CharField(max_length=30, null=True)),
                        ("old_operation_name", models.CharField(max_length=100, null=True)),
                        ("old_source_system", models.CharField(max_length=15, null=True)),
                        ("old_failed_error_code", models.CharField(max_length=5, null=True)),
                    ],
                    options={"db_table": "message_change", "default_permissions": ()},
                ),
            ],
        ),
        migrations.RunPython(_replace_functions, migrations.RunPython.noop),
    ]
