"""
The tables of the demo's hub, `up --demo-hub`: those of a real release, in a schema of their own.

The comment of the schema marks them as the demo's, so no other hub is ever filled or played. The statements
in sql/ are written from the facts of docs/contributing/spec/hub_versions.md; nothing is copied from the hubs'
scripts.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db import connection, transaction

from messages_app.attach import services
from messages_app.attach.indexes import create_indexes
from messages_app.attach.layouts import FAMILIES
from messages_app.attach.recognition import Hub, recognize_hub
from messages_app.attach.status import attached_hub
from messages_app.core.statements import Statements
from messages_app.messages.attachment import Attachment, Feature, NotAttachedForThis, current_attachment

statements = Statements("messages_app.demo.hub_tables")

_MARK = "The hub of Hub Console's demo"
_ZONE = "UTC"


@dataclass(frozen=True, kw_only=True)
class Tables:
    """
    The tables of one release.

    Args:
        files: the files in sql/ that create them, in this order.
        schema: their schema, which has the name of the hub's rule set.
        sequence: gives the ids of messages.
        settings: the file that fills the hub's own settings, if it has any.
    """

    files: tuple[str, ...]
    schema: str
    sequence: str
    settings: str | None = None


TABLES: Mapping[str, Tables] = {
    tables.schema: tables
    for tables in (
        Tables(files=("message", "funnel", "archive"), schema="cleverbus", sequence="hibernate_sequence"),
        Tables(
            files=("message", "openhub", "archive"),
            schema="openhub",
            sequence="openhub_sequence",
            settings="settings_of_openhub",
        ),
    )
}


class NoPlace(Exception):
    """The database has no place for the demo's hub. Nothing was changed."""


def attach_demo_hub(name: str, *, times: Mapping[str, str]) -> Attachment:
    """
    Create the tables of a hub, attach the console to them with triggers and indexes, or do what is missing.

    Args:
        name: a key of TABLES.
        times: the times of the hub, by the names of the settings `HUB_*_SECONDS`.

    Raises:
        NoPlace: the database has other tables, or is attached to another hub.
    """
    attachment = attached_hub()
    if attachment and not (is_of_demo(attachment) and attachment.hub_schema == name):
        raise NoPlace(f"the console is attached to {attachment}")
    if not attachment:
        _create_tables(TABLES[name], times)
    hub = recognize_hub(name)
    if not isinstance(hub, Hub):
        raise NoPlace(hub.text)
    attachment = attachment or services.attach_hub(hub, zone=settings.HUB_TIME_ZONE or _ZONE, triggers=True)
    for _ in create_indexes(hub, zone=attachment.time_zone):
        pass
    return attachment


def is_of_demo(attachment: Attachment) -> bool:
    """Return whether the attached hub is the demo's own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT obj_description(to_regnamespace(%s)::oid, 'pg_namespace')", [attachment.hub_schema]
        )
        return bool(cursor.fetchone() == (_MARK,))


def refuse_other_hub() -> None:
    """
    Refuse to write to a hub that is not the demo's own.

    Raises:
        NotAttachedForThis: the console is attached to such a hub.
    """
    attachment = current_attachment()
    if attachment and not is_of_demo(attachment):
        raise NotAttachedForThis(Feature.DEMO)


def sequence_name() -> str:
    """Return the name of the sequence that all tables of the hub share."""
    attachment = current_attachment()
    if attachment is None:
        return "hibernate_sequence"
    sequences = {family.label: family.sequence for family in FAMILIES}
    return f"{attachment.hub_schema}.{sequences[attachment.family]}"


def _create_tables(tables: Tables, times: Mapping[str, str]) -> None:
    """Create the schema with its tables, unless an earlier start has done it."""
    with transaction.atomic(), connection.cursor() as cursor:
        if other := statements.fetch_row("other_tables", {"mark": _MARK}):
            raise NoPlace(f"the database already has tables, such as {other[0]}")
        cursor.execute("SELECT obj_description(to_regnamespace(%s)::oid, 'pg_namespace')", [tables.schema])
        if cursor.fetchone() == (_MARK,):
            return
        cursor.execute(f"CREATE SCHEMA {tables.schema}")
        cursor.execute(f"COMMENT ON SCHEMA {tables.schema} IS %s", [_MARK])
        cursor.execute(f"SET LOCAL search_path = {tables.schema}")
        cursor.execute(f"CREATE SEQUENCE {tables.sequence}")
        for file in tables.files:
            cursor.execute(statements.read_text(file))
        if tables.settings:
            cursor.execute(statements.read_text(tables.settings), times)
