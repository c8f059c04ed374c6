"""
A subject in every place that may hold something of it, next to another of whom nothing may change.

The look that the tests trust shares no code with what erases: every column of every table as text, and the
bytes of every file.
"""

import io
from collections import Counter
from pathlib import Path

from django.conf import settings
from django.db import connection
from pyarrow import parquet

from messages_app.messages.models import Message
from tests.support import factories
from tests.support.cold import OLD

KEY, OTHER = "C-4711-lovelace", "C-0815-babbage"
# Tables that say only how many there are, or that a step was taken.
COUNTS = {"message_change", "message_count_change", "message_rollup"}


def tables() -> list[str]:
    """Return every table, a partitioned one as one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition"
            " AND relnamespace = current_schema::regnamespace"
        )
        return sorted(row[0] for row in cursor.fetchall())


def all_rows() -> dict[str, Counter[str]]:
    """Return every row of every table, as text."""
    found = {}
    with connection.cursor() as cursor:
        for table in tables():
            cursor.execute(f'SELECT one::text FROM "{table}" AS one')
            found[table] = Counter(row[0] for row in cursor.fetchall())
    return found


def holding(text: str) -> dict[str, int]:
    """
    Return how many rows and files hold a text, by table or folder; the ones that hold none are left out.
    """
    rows = {
        table: sum(count for row, count in found.items() if text in row)
        for table, found in all_rows().items()
    }
    for folder in ("archive", "exports", "store-files"):
        files = [path for path in (Path(settings.HUBCONSOLE_HOME) / folder).rglob("*") if path.is_file()]
        rows[folder] = sum(text.encode() in _bytes_of(path) for path in files)
    return {place: count for place, count in rows.items() if count}


def rows_without(text: str) -> dict[str, Counter[str]]:
    """Return every row of every table without a given text, except counts."""
    return {
        table: Counter({row: count for row, count in found.items() if text not in row})
        for table, found in all_rows().items()
        if table not in COUNTS
    }


# The tables to which an erasure adds rows: its entries, and the digests of erased values.
RECORDS = {"audit_entry", "business_key_erased"}


def changed_since(before: dict[str, Counter[str]], text: str) -> dict[str, tuple[Counter, Counter]]:
    """Return (removed rows, new rows) by table, for rows without a given text."""
    now = rows_without(text)
    found = {table: (rows - now[table], now[table] - rows) for table, rows in before.items()}
    return {table: both for table, both in found.items() if any(both)}


def _bytes_of(path: Path) -> bytes:
    """Return the decompressed contents of a file."""
    if path.suffix != ".parquet":
        return path.read_bytes()
    return str(parquet.read_table(io.BytesIO(path.read_bytes()), partitioning=None).to_pylist()).encode()


def make_message(key: str = KEY, **columns: object) -> Message:
    """Store an old final message of a subject, with its key in every text."""
    defaults = {
        "object_id": key,
        "state": "OK",
        "receive_timestamp": OLD,
        "last_process_timestamp": OLD,
        "payload": f"<order><customer>{key}</customer></order>",
        "envelope": f"<envelope>{key}</envelope>",
        "failed_desc": f"Customer {key} has no address\n at line 7",
        "custom_data": key,
        "business_error": f"no address: {key}",
    }
    return factories.make_message(**defaults | columns)


def with_traffic(message: Message, key: str = KEY) -> Message:
    """Give a message one row of each kind that hangs on it, with the key in it."""
    factories.make_external_call(message, entity_id=f"{key}/{message.pk}")
    request = factories.make_request(message, req_envelope=key, uri=f"http://billing.example/{key}")
    factories.make_response(request, res_envelope=key)
    factories.make_response(None, msg_id=message.pk, res_envelope=None, failed_reason=key)
    factories.make_funnel(message, funnel_value=f"{key}"[:50])
    return message


def to_archive(*messages: Message) -> None:
    """Put messages with what hangs on them into the archive tables, as an older procedure of the hub did."""
    ids = [message.pk for message in messages]
    with connection.cursor() as cursor:
        for table in ("response", "request", "external_call", "funnel", "message"):
            of = "msg_id = ANY (%(ids)s)"
            if table == "response":
                of += " OR req_id IN (SELECT req_id FROM request WHERE msg_id = ANY (%(ids)s))"
            cursor.execute(f"INSERT INTO archive_{table} SELECT * FROM {table} WHERE {of}", {"ids": ids})
        for table in ("response", "request", "external_call", "funnel", "message"):
            of = "msg_id = ANY (%(ids)s)"
            if table == "response":
                of += " OR req_id IN (SELECT req_id FROM request WHERE msg_id = ANY (%(ids)s))"
            cursor.execute(f"DELETE FROM {table} WHERE {of}", {"ids": ids})
