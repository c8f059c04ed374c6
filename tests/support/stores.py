"""The message store in tests: definitions, messages, time that has passed, and their outcome."""

from datetime import datetime

from django.db import connection

from messages_app.audit.services import Actor
from messages_app.message_store.models import (
    MessageHistory,
    MessageProcess,
    SourceDefinition,
    TargetRecord,
)
from messages_app.message_store.services.attempt import process_message
from messages_app.message_store.services.definitions import Definition, store_definition
from messages_app.message_store.services.intake import read_message, store_message

ADA = Actor(username="ada")
CUSTOMER = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "name": {"type": "string", "maxLength": 40}},
    "required": ["id"],
}


def define(system: str = "crm", entity: str = "customer", **more: object) -> SourceDefinition:
    """Store a definition; by default of customers, with the key `id`."""
    values = {"key_fields": ["id"], "json_schema": CUSTOMER} | more
    return store_definition(definition=Definition(system=system, entity=entity, **values), actor=ADA)[0]


def define_orders(system: str = "crm") -> SourceDefinition:
    """Store a definition of orders, whose field `customer` names a customer."""
    return define(system, "order", json_schema={}, references={"customer": "customer"})


def store(data: object = None, *, entity: str | None = "customer", **more: object) -> str:
    """Store a message of crm; return its identifier. `more` are fields of the message object."""
    values = {"system": "crm", "entity": entity, "data": [{"id": 1}] if data is None else data} | more
    return store_message(read_message(values), actor=ADA).identifier


def process(identifier: str) -> MessageProcess:
    """Process a message now; return its row."""
    process_message(identifier)
    return row_of(identifier)


def row_of(identifier: str) -> MessageProcess:
    return MessageProcess.objects.get(pk=identifier)


def status_of(identifier: str) -> int | None:
    return row_of(identifier).status


def history_of(identifier: str) -> list[MessageHistory]:
    """Return the attempts at a message, the first first."""
    return list(MessageHistory.objects.filter(message_identifier=identifier).order_by("processed_timestamp"))


def records() -> dict[tuple[str, str], list[tuple[dict, datetime, datetime | None]]]:
    """Return the versions of every record: (data, valid_from, valid_to) by (entity, key), in order."""
    found: dict = {}
    for one in TargetRecord.objects.order_by("entity", "record_key", "valid_from"):
        version = (one.data, one.valid_from, one.valid_to)
        found.setdefault((one.entity, one.record_key), []).append(version)
    return found


def current() -> dict[tuple[str, str], dict]:
    """Return the data of the records that are valid without an end."""
    rows = TargetRecord.objects.filter(valid_to=None)
    return {(row.entity, row.record_key): row.data for row in rows}


def execute(sql: str, *values: object) -> None:
    """Do what a hub, a clock or a fault would do without us."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def make_older(identifier: str, age: str) -> None:
    """Let a message have been made so much earlier."""
    execute(
        "UPDATE message_store SET message_timestamp = message_timestamp - %s::interval"
        " WHERE message_identifier = %s",
        age,
        identifier,
    )


def make_held_longer(identifier: str, age: str) -> None:
    """Let a message have been in work for so much longer."""
    execute(
        "UPDATE message_line SET claimed_at = claimed_at - %s::interval WHERE message_identifier = %s",
        age,
        identifier,
    )


def set_process(identifier: str, **columns: object) -> None:
    """Write a process row as a hub would."""
    MessageProcess.objects.filter(pk=identifier).update(**columns)
