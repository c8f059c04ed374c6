"""No statement of the Parquet archive reads a big table from end to end: proved by EXPLAIN."""

import pytest

from tests.spark_tasks.test_sql import MORE_ROWS, big_scans, statements
from tests.support.fillings import undone_filling
from tests.support.workers import make_old_messages

pytestmark = pytest.mark.django_db

# A hub's tables, live and archived, and ours that grow with them.
COLD_ROWS = """
INSERT INTO cold_part (job_id, chunk_no, content, month, kept, restored_ids)
SELECT n / 10, n % 10, CASE WHEN n % 5 = 0 THEN 'orphan_requests' ELSE 'messages' END, '2026-05-01', 1, '[]'
  FROM generate_series(1, 20000) AS n;
INSERT INTO cold_file (part_id, table_name, path, rows, first_id, last_id, bytes, sha256)
SELECT n, 'message', 'message/' || n, 1, n, n, 1000, repeat('0', 64) FROM generate_series(1, 20000) AS n;
INSERT INTO archive_request SELECT req_id + 10000000, msg_id, res_join_id, uri, req_envelope, req_timestamp
  FROM request;
INSERT INTO archive_response (res_id, req_id, res_timestamp) SELECT res_id + 10000000, req_id, res_timestamp
  FROM response;
INSERT INTO archive_external_call
SELECT call_id + 10000000, msg_id, operation_name, state, entity_id, msg_timestamp, creation_timestamp,
       last_update_timestamp, 0
  FROM external_call;
ANALYZE;
"""
# Not looked for in these: they have names of tables in them, or lock and write only.
WITHOUT_PLAN = {"lock_tables", "copy_out", "delete_copied", "put_in", "insert_rows", "allow_writing"}


@pytest.fixture(scope="module")
def full_archive(django_db_setup, django_db_blocker):
    with undone_filling(django_db_blocker) as cursor:
        make_old_messages(20_000)
        cursor.execute(MORE_ROWS)
        cursor.execute(COLD_ROWS)
        cursor.execute("SELECT array_agg(msg_id) FROM (SELECT msg_id FROM message ORDER BY 1 LIMIT 500) AS m")
        yield cursor.fetchone()[0]


class TestStatement:
    def test_reads_no_big_table_from_end_to_end(self, full_archive):
        ids = full_archive
        named = {"ids": ids, "msg_ids": ids, "operations": ["direct:billing"] * 500, "entities": ["7"] * 500}
        one = dict.fromkeys(
            (
                *("job_id", "msg_id", "part_id", "chunk_no", "kept", "restored", "rows", "bytes"),
                *("file_id", "erased"),
            ),
            3,
        )
        ends = {"first_id": 1, "last_id": 2, "sha256": "", "path": "", "table_name": "message"}
        reasons = dict.fromkeys(("id_live", "correlation_live", "call_live"), "live")
        rest = {
            "month": "2026-05-01",
            "tables": ["message"],
            "content": "orphan_requests",
            "part_ids": list(range(1, 50)),
            "paths": ["message/7", "message/9"],
            "restored_ids": "[]",
            "job_ids": [3, 4],
            "old_path": "message/7",
            "actor": "ada",
            "reason": "",
            "details": "{}",
        }
        params = named | one | ends | reasons | rest
        scans = {
            name: big_scans(text, params)
            for name, text in statements("spark_tasks.parquet")
            if name not in WITHOUT_PLAN
        }

        assert {name: found for name, found in scans.items() if found} == {}
        assert len(scans) > 20
