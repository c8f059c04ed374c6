"""Every query of a run on large tables uses an index, with and without data of the subject."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from benchmarks.filling import fill_messages
from messages_app.erasure.keys import Key
from messages_app.erasure.replay import keys_again
from tests.messages_app.erasure.runs import dry_run
from tests.support.fillings import undone_filling
from tests.support.ledgers import store_large_ledger
from tests.support.oracle import statements
from tests.support.plans import faults_in, reads_of
from tests.support.subjects import KEY, make_message, with_traffic

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_steps")]

MESSAGES = 40_000
# Incidents, their cells and deployments, one of each with a key.
_INCIDENTS = """
INSERT INTO incident (title, began_at, last_failure_at, state, is_held_open, services, error_codes, failures,
                      affected, external_system, owner, closed_by, acknowledged_by, is_merged_by_person,
                      key_service, key_sender, key_text)
SELECT CASE n WHEN 17000 THEN 'billing: no address of ' || %(key)s ELSE 'old ' || n END, now(), now(),
       'closed', false, '{}', '{}', 8, 8, '', '', '', '', false, '', '', ''
  FROM generate_series(1, 20000) AS n;
INSERT INTO failure_cell (fingerprint, store, service_name, operation_name, source_system, external_system,
                          error_code, cause, first_seen, last_seen)
SELECT n, 'messages', 'billing', 'a', '', '', '',
       CASE n WHEN 17000 THEN 'no address of ' || %(key)s ELSE 'old ' || n END, now(), now()
  FROM generate_series(1, 20000) AS n;
INSERT INTO failure_item (store, item_key, cell_id, at)
SELECT 'message_store', 'item-' || n, n, now() FROM generate_series(1, 20000) AS n;
INSERT INTO deployment (service_name, version, noted_by, note)
SELECT 'billing', n, 'ci', CASE n WHEN 17000 THEN 'for ' || %(key)s ELSE '' END
  FROM generate_series(1, 20000) AS n
"""


@pytest.fixture(scope="module")
def many(django_db_setup, django_db_blocker) -> Iterator[None]:
    """Fill the tables in a transaction that is rolled back, and add data of a subject."""
    with undone_filling(django_db_blocker) as cursor:
        fill_messages(cursor, messages=MESSAGES)
        for each in statements.read_text("large_stores").split(";\n"):
            cursor.execute(each, {"key": KEY, "record": f'["{KEY}"]'})
        cursor.execute(_INCIDENTS, {"key": KEY})
        mine = with_traffic(make_message())
        # Ledgers with every message, one of an archive job.
        for _ in range(2):
            job_id = store_large_ledger(last=mine.pk)
        cursor.execute("UPDATE job SET kind = 'archive' WHERE job_id = %s", [job_id])
        cursor.execute(
            "INSERT INTO cold_part (job_id, chunk_no, content, month, kept, restored_ids)"
            " SELECT job_id, chunk_no, 'other', now(), 1, '[]' FROM job_chunk WHERE job_id = %s",
            [job_id],
        )
        cursor.execute("ANALYZE")
        yield


def changes_of(sent: list[tuple[str, tuple]]):
    """Return a wrapper that records every statement that deletes or updates rows."""

    def note(execute, sql, params, many, context):
        text = "\n".join(line for line in str(sql).splitlines() if not line.startswith("--"))
        if text.lstrip().startswith(("DELETE", "UPDATE")):
            sent.append((sql, params))
        return execute(sql, params, many, context)

    return note


def without_locks(sent: list[tuple[str, tuple]]) -> list[tuple[str, tuple]]:
    """Leave out statements that take a lock of their own, because they would wait for themselves."""
    return [(sql, params) for sql, params in sent if "advisory" not in sql]


class TestRun:
    @pytest.mark.parametrize("key", [KEY, "471147", "no-such-key"])
    def test_reads_and_changes_by_an_index(self, many, key):
        reads, changes = [], []
        with connection.execute_wrapper(reads_of(reads)), connection.execute_wrapper(changes_of(changes)):
            found = dry_run(key)
        assert bool(found.rows) is (key != "no-such-key")
        texts = {"incident", "failure_cell", "deployment"}
        assert texts & set(found.rows) == (texts if key == KEY else set())
        assert len(reads) > 10
        assert (len(changes) > 3) is bool(found.rows)
        assert faults_in(without_locks(reads)) == []
        assert not changes or faults_in(changes) == []


class TestKeysAgain:
    def test_reads_by_an_index(self, many, erased_list: Path):
        places = ["message", "archive_message", "cold_message", "external_call", "funnel", "message_store"]
        rows = {place: list(range(1, 500)) for place in places}
        rows["document_history"] = [["t-1", "2026-11-01T00:00:00+00:00"]]
        line = json.dumps({"subject": Key(KEY).digest, "rows": rows}) + "\n"
        Path(settings.ERASED_LIST).write_text(line)
        reads = []
        with connection.execute_wrapper(reads_of(reads)):
            keys_again(erased_list)
        assert len(reads) >= len(rows)
        assert faults_in(without_locks(reads)) == []
