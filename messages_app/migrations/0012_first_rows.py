"""The first rows of every installation: the groups of roles, the hub's error codes and its watch rule."""

from typing import NamedTuple

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from messages_app.migrations._operations import write_roles
from messages_app.shared.hub_defaults import RESPONSE_ALERT_AFTER


class _Code(NamedTuple):
    code: str
    description: str
    action: str


# The hub's own error codes. The descriptions are the hub's; the actions are ours.
# Source: docs/contributing/spec/cleverbus.md, "Error codes".
_LATER = "Restart after fixing the cause."

_HUB_CODES = (
    _Code("E100", "Unspecified error", "Read the first line of the error and ask the owner of the service."),
    _Code("E101", "XML does not match its schema", "Ask the source system to send a corrected message."),
    _Code("E102", "Validation failed", "Ask the source system to send a corrected message."),
    _Code("E103", "Target system cannot be reached", f"Check whether the target system responds. {_LATER}"),
    _Code("E104", "Trace header is missing", "Ask the source system to send the trace header."),
    _Code("E105", "Trace header is incomplete", "Ask the source system to send the complete trace header."),
    _Code("E106", "Message could not be stored", "First check for a message with the same correlation id."),
    _Code("E107", "No data found", "Add the missing data to the target system, then restart."),
    _Code(
        "E108",
        "Several records found where one was expected",
        "Remove the duplicate data from the target system, then restart.",
    ),
    _Code("E109", "Invalid data", "Ask the source system to send a corrected message."),
    _Code("E110", "Mandatory element is missing", "Ask the source system to send a complete message."),
    _Code("E111", "XML is not well-formed", "Ask the source system to send a corrected message."),
    _Code(
        "E112", "Record could not be locked", "Another process held the lock, usually for a moment. Restart."
    ),
    _Code("E113", "Invoice is missing", "Restart after the invoice exists."),
    _Code("E114", "Throttled", "Too many requests in a short time. Send more slowly or raise the limit."),
    _Code("E115", "File could not be stored", f"Check the free space of the file store. {_LATER}"),
    _Code(
        "E116",
        "Stuck in processing",
        "A node may have stopped. Check what was already sent before you restart.",
    ),
    _Code("E117", "Access denied", f"Check the hub user's permissions in the target system. {_LATER}"),
    _Code("E118", "Extension is misconfigured", "Correct the extension's settings, then restart."),
    _Code("E119", "Rejected while the hub stopped", "Restart when the hub is running again."),
    _Code(
        "E120",
        "Trace identifier is not allowed",
        "Allow the identifier, or ask the source system to use another.",
    ),
    _Code("E121", "Waited too long for its turn", "Resolve the message that blocks the order, then restart."),
    _Code("E122", "Configuration error", "Correct the hub's settings, then restart."),
    _Code(
        "E123",
        "Circuit to the target is open",
        f"The target system failed too often. {_LATER}",
    ),
)


def _write_error_codes(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    codes = apps.get_model("messages_app", "ErrorCode").objects
    for each in _HUB_CODES:
        codes.create(code=each.code, description=each.description, action=each.action, is_own=True)


def _write_watch_rule(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """
    Store the hub's WAITING_MSG_ALERT as a watch rule, which opens an alert from one message on.

    Source: docs/contributing/spec/cleverbus.md, "Built-in alert".
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
    dependencies = [
        ("messages_app", "0011_webhooks"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.RunPython(_write_error_codes, migrations.RunPython.noop),
        migrations.RunPython(_write_watch_rule, migrations.RunPython.noop),
        write_roles(),
    ]
