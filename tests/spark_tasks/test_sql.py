"""No statement of an executor or of a job reads a big table from end to end: proved by EXPLAIN."""

import datetime as dt
import json
from importlib import resources

import pytest
from django.db import connection
from django.utils import timezone

from messages_app.shared.message_states import FINAL_STATES
from messages_app.shared.sql_files import SqlFiles
from spark_tasks.moves.rows import compose_statement
from spark_tasks.tables import HUB_TABLES
from tests.support.fillings import undone_filling
from tests.support.workers import make_old_messages

pytestmark = pytest.mark.django_db

HUB = frozenset(name for table in HUB_TABLES for name in (table.live, table.archive))
BIG_TABLES = HUB | {"job_item", "job_refusal", "cold_message", "cold_file", "cold_part"}

# Enough for the planner to care; one in twenty has a parent, and as many are orphans.
MORE_ROWS = """
UPDATE message SET parent_msg_id = msg_id - 1 WHERE msg_id % 20 = 0;
INSERT INTO message (correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp,
                     service_name, source_system, state, operation_name, payload)
SELECT 'young-' || n, now(), now(), now(), 'billing', 'CRM', 'OK', 'createInvoice', '<x/>'
  FROM generate_series(1, 40000) AS n;
INSERT INTO request (res_join_id, uri, req_envelope, req_timestamp)
SELECT n::text, 'http://billing.example/ws', '<y/>', now() - n * interval '1 hour'
  FROM generate_series(1, 3000) AS n;
INSERT INTO response (msg_id, res_envelope, res_timestamp)
SELECT n, '<z/>', now() - n * interval '1 hour' FROM generate_series(1, 3000) AS n;
INSERT INTO external_call (msg_id, operation_name, state, entity_id, msg_timestamp, creation_timestamp,
                           last_update_timestamp)
SELECT msg_id, 'direct:billing', 'OK', msg_id::text, now(), now(), now() FROM message;
INSERT INTO archive_message SELECT * FROM message;
INSERT INTO cold_message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service_name,
                          source_system, state, operation_name, parent_msg_id, part_id)
SELECT msg_id + 10000000, correlation_id, msg_timestamp, receive_timestamp, service_name,
       source_system, state, operation_name, parent_msg_id + 10000000, msg_id / 1000
  FROM message;
INSERT INTO funnel (msg_id, funnel_value) SELECT msg_id, 'customer-' || msg_id % 1000 FROM message;
INSERT INTO job_item (job_id, msg_id, chunk_no, root_msg_id, old_state)
SELECT 1 + msg_id % 3, msg_id, msg_id / 1000, msg_id, 'OK' FROM message;
INSERT INTO job_refusal (job_id, msg_id, root_msg_id, old_state, outcome)
SELECT 1 + msg_id % 3, msg_id, msg_id, 'OK', 'skipped:locked' FROM message;
ANALYZE;
"""

# Not statements that look for rows: they are planned without a search, or only write.
_DOCUMENTS = ("orphan_ids", "details", "moved", "outcomes_json", "report", "chunk_count")

COMPOSED = {"take_rows", "copy_rows", "drop_rows", "count_rows"}
# Statements about the tables of an attached hub, which find messages by their ids.
OF_HUB = {"copy_kept_rows", "keep_columns", "forget_kept", "remove_second_rows"}
NOT_EXPLAINED = {"copy_counts", "copy_members", "copy_refusals", "copy_took"} | COMPOSED | OF_HUB


@pytest.fixture(scope="module")
def big_tables(django_db_setup, django_db_blocker):
    with undone_filling(django_db_blocker) as cursor:
        make_old_messages(20_000)
        cursor.execute(MORE_ROWS)
        cursor.execute(
            "SELECT array_agg(msg_id ORDER BY msg_id) FROM (SELECT msg_id FROM message LIMIT 1000) m"
        )
        yield cursor.fetchone()[0]


def parameters(ids: list[int]) -> dict[str, object]:
    """Return a value for every parameter that any of the statements names."""
    cutoff = timezone.now() - dt.timedelta(days=60)
    return {
        "start": cutoff - dt.timedelta(days=10),
        "end": cutoff,
        "cutoff": cutoff,
        "ids": ids,
        "msg_ids": ids,
        "req_ids": ids,
        "parents": ids,
        "versions": ["1"] * len(ids),
        "live": ["message"],
        "archives": ["archive_message"],
        "keys": ["msg_id"],
        "children": ["request"],
        "links": ["msg_id"],
        "res_ids": ids,
        "outcomes": ["done"] * len(ids),
        "new_states": [None] * len(ids),
        "last_msg_id": ids[-1],
        "final_states": sorted(FINAL_STATES),
        "live_states": ["running"],
        "from_states": ["running"],
        "stopped": "stopped",
        "stopping": "stopping",
        "tables": ["message"],
        "lease_s": 60.0,
        "older_than_months": 2,
        "job_id": 1,
        "chunk_no": 1,
        "first_no": 0,
        "end_no": 100_000,
        "size": 5_000,
        "attempt": 1,
        "planned": 1,
        "groups": [1, 2],
        "definition_id": None,
        "largest": 1_000_000,
        "jobs": 5,
        "messages": 100,
        "done_through": 0,
        "origin_id": 2,
        "job_ids": [1, 2],
        "active_states": ["running"],
        "kinds": ["restart"],
        "rivals": ["cancel"],
        "states": ["FAILED"] * len(ids),
        "root_ids": "{1,2}",
        "allowed": ["FAILED"],
        "paused": "paused",
        "person": "bob",
        "person_id": 2,
        "waiting": "planned",
        "paused_for": "operator",
        "queued": "queued",
        "held_states": ["running"],
        "from_state": "running",
        "planning": "planning",
        "undecided": "canary_undecided",
        "wait_s": 60.0,
        "limit_s": 600.0,
        "since": timezone.now(),
        "overlap_s": 10.0,
        "longest_s": 600.0,
        "user_id": 2,
        "hours": 24,
        "days": 1,
        "prefix": "job-1",
        "most": 500,
        "most_rows": 500,
        "newest": 200,
        "incident_id": 7,
        "began_at": timezone.now(),
        "rate": 1.0,
        "service_name": "billing",
        "service_names": ["billing"],
        "share": 3,
        "shares": 1009,
        "step": "selecting",
        "after_state": "",
        "new_state": None,
        "operation_name": None,
        "at_rest": False,
        "state": "running",
        "to_state": "done",
        "content": "messages",
        "outcome": "done",
        "error": "",
    } | dict.fromkeys(_DOCUMENTS)


def big_scans(statement: str, params: dict[str, object]) -> list[str]:
    """Return the big tables that the statement's plan reads from end to end."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {statement}", params)
        found = cursor.fetchone()[0]
    plan = json.loads(found) if isinstance(found, str) else found
    found = nodes(plan[0]["Plan"])
    return [node["Relation Name"] for node, is_limited in found if is_big_scan(node, is_limited)]


def nodes(plan: dict, is_limited: bool = False):
    """Yield each node of a plan, and whether a LIMIT above it stops it early."""
    yield plan, is_limited
    for part in plan.get("Plans", []):
        yield from nodes(part, is_limited or plan["Node Type"] == "Limit")


def is_big_scan(node: dict, is_limited: bool) -> bool:
    """Whether a node reads a big table, or an index of one, from end to end."""
    if node.get("Relation Name") not in BIG_TABLES:
        return False
    if node["Node Type"] == "Seq Scan":
        return True
    return "Index" in node["Node Type"] and "Index Cond" not in node and not is_limited


def statements(package: str) -> list[tuple[str, str]]:
    names = [file.name.removesuffix(".sql") for file in resources.files(package).joinpath("sql").iterdir()]
    return [
        (name, _filled(SqlFiles(package).read_text(name)))
        for name in sorted(names)
        if name not in NOT_EXPLAINED
    ]


def _filled(text: str) -> str:
    """Put a column, a query of messages or of families, where a statement is made for any of them."""
    queries = SqlFiles("spark_tasks")
    filled = text.replace("{members}", queries.read_text("whole_families"))
    filled = filled.replace("{messages}", queries.read_text("final_messages"))
    filled = filled.replace("{columns}", "msg_id").replace("{row}", "msg_id")
    return filled.replace("{{}}", "{}")


class TestStatement:
    def test_reads_no_big_table_from_end_to_end(self, big_tables):
        params = parameters(big_tables)
        by_id = {"start": 1000, "end": 5000, "first": 1000, "last": 4999}
        scans = {}
        for name, text in statements("spark_tasks") + statements("messages_app.jobs"):
            special = by_id if "_id >= %(start)s" in text or "_id BETWEEN %(first)s" in text else {}
            if name in {"commit_slice", "write_chunk"}:
                special = {"outcomes": None, "versions": None}
            if name == "reprocess_messages":
                special = {"states": ["26"] * len(big_tables)}
            if name == "resume_job":
                special = {"paused_for": ["operator"], "confirmed": 1, "confirmation": "confirmation"}
            scans[name] = big_scans(text, params | special)

        assert {name: found for name, found in scans.items() if found} == {}
        assert len(scans) > 30

    def test_counts_old_messages_by_an_index_if_the_table_is_larger_than_memory(self, big_tables):
        params = parameters(big_tables) | {"last_msg_id": 10**12, "most": 10_001}
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL effective_cache_size = '1MB'")

        assert big_scans(SqlFiles("spark_tasks").read_text("plan_bounds"), params) == []

    def test_finds_the_rows_to_move_by_an_index(self, big_tables):
        params = parameters(big_tables[:100])
        scans = {
            (name, table.live): big_scans(
                compose_statement(name, table, [table.key]).as_string(connection.connection), params
            )
            for name in COMPOSED
            for table in HUB_TABLES
        }

        assert {key: found for key, found in scans.items() if found} == {}
