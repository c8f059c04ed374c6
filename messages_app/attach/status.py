"""
Whether the console is attached, and whether the attachment still fits the hub and the settings.

Source: docs/howto/attach.md, "After a change of the hub".
"""

from shlex import quote
from typing import TYPE_CHECKING

from django.apps import apps
from django.conf import settings
from django.db import connection

from messages_app.attach.recognition import NoHub, find_viewed_tables, recognize_hub, statements
from messages_app.messages.suspension import SCHEMA, is_suspended, read_note

if TYPE_CHECKING:  # the command line imports this before Django can load models.
    from messages_app.messages.attachment import Attachment

# The beginning of its description after `detach --keep-data`; the schema of the hub follows.
KEPT_OF = "data of a console that was detached from "


def attached_hub() -> "Attachment | None":
    """Return the attachment, or None, even if the console's tables do not exist yet."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s)", [f"{SCHEMA}.attachment"])
        if cursor.fetchone() == (None,):
            return None
    attachment: Attachment | None = apps.get_model("messages_app", "Attachment").objects.first()
    return attachment


def refusal_of(attachment: "Attachment") -> tuple[str, str] | None:
    """Return a clause why the console cannot work on its hub now, and what to do; None if it can."""
    if settings.HUB_RULES not in ("", attachment.rules):
        why = f"HUB_RULES is {settings.HUB_RULES}, but the console is attached to {attachment}"
        return why, f"Set HUB_RULES={attachment.rules}, or remove the variable."
    if settings.HUB_TIME_ZONE not in ("", attachment.time_zone):
        zone = attachment.time_zone
        why = f"HUB_TIME_ZONE is {settings.HUB_TIME_ZONE}, but the console was attached with {zone}"
        return why, f"Set HUB_TIME_ZONE={zone}, remove the variable, or attach again with --time-zone."
    if is_suspended():
        why = f"the console is suspended, so that the tables of {attachment} can be changed"
        return why, f"Run `{settings.COMMAND_LINE} attach --resume`."
    if change := _describe_change(attachment):
        place = f"the hub's tables in the schema {attachment.hub_schema}"
        why = f"{place} have changed since the console was attached: {change}"
        return why, f"Run `{settings.COMMAND_LINE} attach {quote(attachment.hub_schema)}` again."
    return None


def kept_of() -> str | None:
    """Return the schema of the hub whose console was detached but kept its data, or None."""
    note = read_note()
    return note.removeprefix(KEPT_OF) if note.startswith(KEPT_OF) else None


def _describe_change(attachment: "Attachment") -> str | None:
    """Return a clause about the first change, or None. Additional columns are ignored."""
    hub = recognize_hub(attachment.hub_schema, archive_schema=attachment.archive_schema)
    if isinstance(hub, NoHub):
        return hub.text
    if hub.family.label != attachment.family:
        return f"they are now those of {hub.family.label}"
    tables = find_viewed_tables(hub)
    values = {"tables": list(tables), "schemas": list(tables.values())}
    lacking = statements.fetch_column("views_without_table", values)
    return f"{', '.join(lacking)} was replaced" if lacking else None
