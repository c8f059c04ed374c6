"""The first rows of every installation: the groups of roles, the hub's error codes and its watch rule."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from messages_app.messages.failures.catalogue import HUB_CODES
from messages_app.migrations._operations import write_roles
from messages_app.shared.hub_defaults import RESPONSE_ALERT_AFTER


def _write_error_codes(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    codes = apps.get_model("messages_app", "ErrorCode").objects
    for known in HUB_CODES:
        codes.create(code=known.code, description=known.description, action=known.action, is_own=True)


def _write_watch_rule(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """
    Store the hub's WAITING_MSG_ALERT as a watch rule, which opens an alert from one message on.

    Source: docs/spec/cleverbus.md, "Built-in alert".
    """
    apps.get_model("messages_app", "WatchRule").objects.create(
        name="Waiting long for an answer",
        measure="present",
        state="WAITING_FOR_RES",
        older_than_seconds=int(RESPONSE_ALERT_AFTER.total_seconds()),
        limit=0,
        is_built_in=True,
    )


class Migration(migrations.Migration):
    replaces = [("messages_app", "0003_roles"), ("messages_app", "0041_take_documents")]
    dependencies = [
        ("messages_app", "0008_jobs"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.RunPython(_write_error_codes, migrations.RunPython.noop),
        migrations.RunPython(_write_watch_rule, migrations.RunPython.noop),
        write_roles(),
    ]
