"""The hub writes while families move to files: each write is live or in a file, never in both."""

import threading
from collections.abc import Callable
from itertools import count

import psycopg
import pytest
from django.db import connection

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.archive import archive_storage
from messages_app.jobs.models import JobItem
from messages_app.shared.message_states import FINAL_STATES
from spark_tasks.actions.archive_parquet import ArchiveToParquet
from spark_tasks.contract import Decided, Item, JobKey
from tests.support import parquet_rows
from tests.support.cold import old_message, with_traffic
from tests.support.factories import next_id
from tests.support.oracle import KEYS
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)

MESSAGES, FAMILIES_A_CHUNK = 120, 10
_WRITES = {
    "call": (
        "UPDATE external_call SET failed_count = failed_count + 1 WHERE msg_id = %(msg_id)s"
        " RETURNING 'external_call', call_id, failed_count"
    ),
    "response": (
        "INSERT INTO response (res_id, msg_id, res_timestamp, failed)"
        " VALUES (%(id)s, %(msg_id)s, now(), false) RETURNING 'response', res_id, 0"
    ),
    "restart": (
        "UPDATE message SET state = 'PARTLY_FAILED', failed_count = failed_count + 1"
        " WHERE msg_id = %(msg_id)s AND state = 'OK' RETURNING 'message', msg_id, failed_count"
    ),
}
_TURNS = ("call", "response", "call", "call", "response", "restart", "call", "call", "response")
_VALUES = {"external_call": "failed_count", "response": "0", "message": "failed_count"}


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> None:
    settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")


def hub(msg_ids: list[int], first: int, is_over: threading.Event) -> dict[tuple[str, int], int]:
    """Write to some messages, like a hub, until asked to stop; return the last value of each row."""
    wrote: dict[tuple[str, int], int] = {}
    with psycopg.connect(database_dsn(), autocommit=True) as database:
        for turn in count(first):
            if is_over.is_set():
                return wrote
            values = {"msg_id": msg_ids[turn * 7919 % len(msg_ids)], "id": next_id()}
            for table, row_id, value in database.execute(
                _WRITES[_TURNS[turn % len(_TURNS)]], values
            ).fetchall():
                wrote[table, row_id] = value
    return wrote


def archive(items: list[Item], is_over: threading.Event) -> list[Decided]:
    action = ArchiveToParquet(
        cutoff="2090-01-01T00:00:00+00:00",
        final_states=tuple(sorted(FINAL_STATES)),
        storage=archive_storage(),
        run="job-1-test",
    )
    key = JobKey(dsn=database_dsn(), job_id=1, attempt=1, rivals=())
    try:
        with psycopg.connect(database_dsn(), autocommit=True) as database:
            return [_act(database, action, key, part) for part in _parts(items)]
    finally:
        is_over.set()


def _parts(items: list[Item]) -> list[list[Item]]:
    return [items[start : start + FAMILIES_A_CHUNK] for start in range(0, len(items), FAMILIES_A_CHUNK)]


def _act(database: psycopg.Connection, action: ArchiveToParquet, key: JobKey, items: list[Item]) -> Decided:
    with database.transaction():
        return action.process_items(database, key, items)


def everywhere() -> dict[tuple[str, int], list[int]]:
    """Return the values of every row of the tables that the hub wrote, live and in files."""
    found: dict[tuple[str, int], list[int]] = {}
    with connection.cursor() as cursor:
        parquet_rows.make_tables(cursor, KEYS)
        parquet_rows.load(cursor)
        for table, value in _VALUES.items():
            for prefix in ("", parquet_rows.PREFIX):
                cursor.execute(f"SELECT {KEYS[table]}, {value} FROM {prefix}{table}")
                for row_id, found_value in cursor:
                    found.setdefault((table, row_id), []).append(found_value)
    return found


class TestAct:
    def test_loses_duplicates_and_tears_nothing_that_the_hub_writes_meanwhile(self):
        ids = [with_traffic(old_message()).pk for _ in range(MESSAGES)]
        for msg_id in ids:
            JobItem.objects.create(job_id=1, chunk_no=0, msg_id=msg_id, root_msg_id=msg_id, old_state="OK")
        items = [Item(msg_id, msg_id, "OK") for msg_id in ids]
        is_over = threading.Event()

        decided, *wrote = in_threads(lambda: archive(items, is_over), *_hubs(ids, is_over))

        assert isinstance(decided, list), decided
        assert not [found for found in wrote if not isinstance(found, dict)]
        last: dict[tuple[str, int], int] = {}
        for found in wrote:
            for key, value in found.items():
                last[key] = max(value, last.get(key, 0))
        rows = everywhere()
        assert {key: rows.get(key) for key in last} == {key: [value] for key, value in last.items()}
        assert [key for key, found in rows.items() if len(found) > 1] == []
        done = sum(part.moved["message"] for part in decided)
        assert 0 < done < MESSAGES  # some left, some were restarted before their turn


def _hubs(ids: list[int], is_over: threading.Event) -> list[Callable[[], object]]:
    return [lambda first=first: hub(ids, first, is_over) for first in (0, 1_000, 2_000)]
