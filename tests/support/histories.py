"""The document history in tests: triggers, manual entries, and failing surroundings."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import psycopg
from django.db import connection

from messages_app.audit.services import Actor
from messages_app.document_history.models import DocumentHistory, DocumentTrigger
from messages_app.document_history.services.triggers import create_trigger
from tests.support.workers import database_of_tests

ADA = Actor(username="ada")


def make_trigger(trigger_id: str = "t-1", **properties: object) -> DocumentTrigger:
    """Store a trigger that uses the history; `properties` are its columns. No one asks for its resolver."""
    resolver = properties.pop("resolver", "")
    create_trigger(actor=ADA, **{"trigger_id": trigger_id, "name": f"trigger {trigger_id}"} | properties)
    DocumentTrigger.objects.filter(pk=trigger_id).update(resolver=resolver)
    return DocumentTrigger.objects.get(pk=trigger_id)


def store_entry(
    status: str, *, trigger_id: str = "t-1", uuid: str = "u-1", age: str = "1 minute"
) -> datetime:
    """Store one entry that began the given time ago, like a hub without the console; return its time."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO document_history (trigger_id, document_uuid, status, time)"
            " VALUES (%s, %s, %s, now() - %s::interval) RETURNING time",
            [trigger_id, uuid, status, age],
        )
        return cursor.fetchone()[0]


def store_both(**of_which: str) -> None:
    """Store both entries, with one time."""
    time = store_entry("processing", **of_which)
    trigger_id, uuid = of_which.get("trigger_id", "t-1"), of_which.get("uuid", "u-1")
    DocumentHistory.objects.create(trigger_id=trigger_id, document_uuid=uuid, status="completed", time=time)


def make_older(age: str, *, uuid: str = "u-1") -> None:
    """Let the entries of a document have begun so much earlier."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE document_history SET time = time - %s::interval WHERE document_uuid = %s", [age, uuid]
        )


def entries_of(uuid: str = "u-1", *, trigger_id: str = "t-1") -> dict[str, datetime]:
    """Return the times of a document's entries by their status."""
    found = DocumentHistory.objects.filter(trigger_id=trigger_id, document_uuid=uuid)
    return dict(found.values_list("status", "time"))


@contextmanager
def history_locked(patience: str = "200ms") -> Iterator[None]:
    """Keep the history from being reached: someone holds its table, and this session does not wait."""
    with psycopg.connect(database_of_tests()["DATABASE_URL"]) as other, connection.cursor() as cursor:
        other.execute("LOCK TABLE document_history IN ACCESS EXCLUSIVE MODE")
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [patience])
        yield
        cursor.execute("SELECT set_config('lock_timeout', '0', false)")
        other.rollback()
