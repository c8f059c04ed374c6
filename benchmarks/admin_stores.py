"""Fill the tables of the other three systems with many rows, and name their pages in the admin."""

import hashlib
import uuid
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.databases import fill_tables, filled_once
from benchmarks.filling import statements

STORE_LISTS = (
    "historyline/",
    "historyline/?state=both",
    "historyline/?state=processing",
    "historyline/?trigger_id=trigger-3",
    "historyline/?time_from=-1h",
    "historyline/?q=no-such-uuid",
    "messagestore/",
    "messagestore/?status=25",
    "messagestore/?status=10",
    "messagestore/?status=2&source_entity=entity-5",
    "messagestore/?source_system=system-1",
    "messagestore/?message_timestamp_from=-24h",
    "messagestore/?q=no-such-message",
    "cpmessage/",
    "cpmessage/?state=free",
    "cpmessage/?state=reserved",
    "cpmessage/?queuename=queue-9",
    "cpmessage/?lock_service=worker-1",
    "cpmessage/?osid=77",
    "cpmessage/?created_from=-1h",
    "cpmessage/?q=77",
)
_TRIGGERS = 4
_BYTES = 1_500  # of a document, a stored message and a CP message, with their indexes
_TABLES = ("document_history", "message_line", "message_process", "message_store", "oscpmqueue")


def filled_stores(home: Path, size: int) -> str:
    """Fill a database with this many documents, stored messages and CP messages, once; return its address."""
    fill = partial(fill_tables, fill=partial(_fill, size=size))
    return filled_once(home, f"stores_{size}", fill, needed=size * _BYTES)


def pages_of_stored(size: int) -> list[str]:
    """Return the page of one row of each table."""
    digest = hashlib.md5(str(size // 2 + 1).encode(), usedforsecurity=False).hexdigest()
    identifier = str(uuid.UUID(digest))
    return [
        f"historyline/trigger-3_2F{identifier}/change/",
        f"messagestore/{identifier}/change/",
        f"cpmessage/{digest.upper()}/change/",
    ]


def _fill(hub: psycopg.Cursor, *, size: int) -> None:
    hub.execute(
        "INSERT INTO document_trigger (trigger_id, name, detect_duplicates, use_history,"
        " history_ttl_seconds, resolver, on_retry_failure, suspended_because)"
        " SELECT 'trigger-' || n, 'bench ' || n, true, true, 172800, '', 'throw_exception', ''"
        "   FROM generate_series(0, %s) AS n",
        [_TRIGGERS - 1],
    )
    for table in _TABLES:
        hub.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    hub.execute(statements.text("filling/document_history"), {"documents": size})
    for statement in statements.text("filling/message_store").split(";"):
        hub.execute(statement, {"messages": size})
    hub.execute(statements.text("filling/stored_message"))
    hub.execute(statements.text("filling/cp_message"), {"messages": size})
    for table in _TABLES:
        hub.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
