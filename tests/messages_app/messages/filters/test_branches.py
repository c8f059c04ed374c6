"""
Plans of the list at a size at which a wrong one shows: one table of 150 000 messages for all tests here.

They lie as in a hub: most are OK, one outage failed thousands in a row, one service is switched off.
"""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from messages_app.core.pagination import keyset
from messages_app.core.pagination.incremental_scan import read_with_patience
from messages_app.messages import selectors
from messages_app.messages.filters import message_filter
from messages_app.messages.filters.branches import split_into_branches
from messages_app.messages.models import ArchiveMessage
from messages_app.messages.parquet_archive.models import ColdMessage
from tests.support.fillings import undone_filling
from tests.support.parameters import quick_first
from tests.support.plans import is_filled

pytestmark = pytest.mark.django_db

ROWS = 150_000
START = datetime(2024, 11, 21, tzinfo=UTC)
STEP = timedelta(seconds=420)

FILL = """
INSERT INTO message (msg_id, correlation_id, process_id, msg_timestamp, receive_timestamp, service_name,
                     source_system, state, object_id, entity_type, operation_name, payload, failed_error_code,
                     last_process_timestamp, parent_msg_id, funnel_value, funnel_component_id)
SELECT n, 'corr-' || n, 'proc-' || n / 3, at, at,
       CASE WHEN n < 7000 THEN 'legacy' ELSE (ARRAY['billing','orders','crm','stock'])[1 + n %% 4] END,
       (ARRAY['CRM','ERP','WEB'])[1 + n %% 3],
       CASE WHEN n BETWEEN 70000 AND 73000 OR n %% 100 = 7 THEN 'FAILED'
            WHEN n %% 1000 = 0 THEN 'CANCEL' WHEN n %% 997 = 0 THEN 'WAITING' ELSE 'OK' END,
       'obj-' || n %% 5000, (ARRAY['ACCOUNT','ORDER',NULL])[1 + n %% 3], 'op' || n %% 20, '<a/>',
       CASE WHEN n %% 100 = 7 THEN 'E' || 100 + n %% 7 END,
       CASE WHEN n %% 50 <> 0 THEN at END, CASE WHEN n %% 10 = 0 THEN n - 1 END,
       CASE WHEN n %% 20 = 0 THEN 'fv-' || n %% 1000 END, CASE WHEN n %% 20 = 0 THEN 'comp' || n %% 4 END
  FROM (SELECT n, %s::timestamptz + n * %s::interval AS at FROM generate_series(1, %s) AS n) AS numbered
"""
FILL_ARCHIVE = """
INSERT INTO archive_message (msg_id, correlation_id, process_id, msg_timestamp, receive_timestamp,
                             service_name, source_system, state, object_id, operation_name, payload,
                             failed_error_code, last_process_timestamp, parent_msg_id)
SELECT n - %s, 'old-' || n, 'proc-' || n / 3, at, at,
       CASE WHEN n < 3000 THEN 'legacy' ELSE (ARRAY['billing','orders','crm','stock'])[1 + n %% 4] END,
       (ARRAY['CRM','ERP','WEB'])[1 + n %% 3],
       CASE WHEN n %% 100 = 7 THEN 'FAILED' ELSE 'OK' END, 'obj-' || n %% 5000, 'op' || n %% 20, '<a/>',
       CASE WHEN n %% 100 = 7 THEN 'E' || 100 + n %% 7 END, at, CASE WHEN n %% 10 = 7 THEN n - 1 - %s END
  FROM (SELECT n, %s::timestamptz + n * %s::interval AS at FROM generate_series(1, %s) AS n) AS numbered
"""
# One parent has a fifth of all children, one funnel value a third of all funnel rows.
FILL_LARGE = """
UPDATE message SET parent_msg_id = 5 WHERE msg_id %% 40 = 0;
INSERT INTO funnel SELECT 2000000 + n, n, 'large' FROM generate_series(1, %s, 7) AS n
"""
FILL_ARCHIVE_FUNNEL = (
    "INSERT INTO archive_funnel "
    "SELECT 3000000 + n, n * 40 - %s, 'fv-' || n %% 1000 FROM generate_series(1, 3000) AS n"
)
# The same queries find messages in files: as many again, with other ids.
FILL_COLD = """
INSERT INTO cold_message ({columns}, msg_id, part_id)
SELECT {columns}, msg_id - 1000000, 1 FROM archive_message
"""
# One group has half of what failed, live and archived; the other has few.
FILL_MEMBERS = """
INSERT INTO failure_member
SELECT msg_id, CASE WHEN msg_id % 2 = 0 THEN 1 WHEN msg_id % 199 = 0 THEN 2 ELSE 3 END, receive_timestamp
  FROM (SELECT msg_id, receive_timestamp FROM message WHERE state = 'FAILED'
         UNION ALL
        SELECT msg_id, receive_timestamp FROM archive_message WHERE state = 'FAILED') AS failed
"""
# The oldest messages failed in one outage.
FILL_OUTAGE = """
INSERT INTO failure_member
SELECT msg_id, 4, receive_timestamp FROM message WHERE msg_id <= 20000
    ON CONFLICT DO NOTHING
"""
# Each group is also an incident of one cell.
FILL_INCIDENTS = """
UPDATE failure_member SET cell_id = group_id;
INSERT INTO incident_cell (incident_id, cell_id, first, last, reason, strength, pinned_by, origin_id)
SELECT n, n, '2000-01-01', '2100-01-01', 'text', 'high', '', n FROM generate_series(1, 4) AS n;
INSERT INTO incident_message (msg_id, incident_id, decided_by) SELECT msg_id, 3, 'ada' FROM failure_member
 WHERE cell_id = 2 LIMIT 3
"""
FILL_FUNNEL = (
    "INSERT INTO funnel SELECT 1000000 + n, n * 40, 'fv-' || n % 1000 FROM generate_series(1, 3000) AS n"
)

OLD = "2024-12-10T00:00:00Z"
FILTERS = [
    "",
    "state=OK",
    "state=FAILED",
    "state=CANCEL",
    "state=NEW",
    "state=FAILED,CANCEL",
    "state=OK,FAILED,WAITING",
    "source_system=CRM",
    "service_name=billing",
    "service_name=nope",
    "operation_name=op7",
    "correlation_id=corr-777",
    "process_id=proc-777",
    "object_id=obj-77",
    "entity_type=ACCOUNT",
    "funnel_value=fv-40",
    "funnel_component_id=comp0",
    "failed_error_code=E103",
    "parent_msg_id=9",
    "failure_group=1",
    "failure_group=2",
    "failure_group=1&state=FAILED",
    "archived=any&failure_group=1",
    "incident=1",
    "incident=2",
    "incident=1&state=FAILED",
    "archived=any&incident=1",
    "incident=1&failure_group=1",
    "service_name=billing&state=FAILED",
    f"receive_timestamp_to={OLD}",
    "receive_timestamp_from=2026-10-01T00:00:00Z",
    "parent_msg_id=5",
    "funnel_value=large",
    "family=roots",
    "family=failed",
    "family=failed&state=FAILED",
    "msg_id=5,777,9999",
    f"msg_id={','.join(str(number * 7) for number in range(1000))}",
    "msg_id=5,777,9999&state=FAILED",
    "msg_id=5,777&funnel_value=fv-40",
    "archived=true&msg_id=5,777,9999",
    "archived=any&msg_id=5,777,9999&state=FAILED,OK",
    "archived=true",
    "archived=true&state=FAILED",
    "archived=true&process_id=proc-777",
    "archived=true&object_id=obj-77",
    "archived=true&failed_error_code=E103",
    "archived=true&service_name=billing",
    "archived=true&family=failed",
    "archived=any",
    "archived=any&state=FAILED",
    "archived=any&state=FAILED,OK&service_name=orders",
    "archived=any&funnel_value=fv-40",
]
# Filters that no index serves together or at all, and that no message passes, or none for long.
LOOKED_FOR = [
    "source_system=CRM&service_name=legacy&state=OK",
    "operation_name=op7&source_system=NOPE&state=OK",
    "service_name=billing&operation_name=op1&source_system=CRM",
    "archived=true&service_name=nope",
    "archived=true&service_name=legacy",
    "archived=true&source_system=NOPE&state=FAILED",
    f"archived=true&msg_timestamp_to={OLD}",
    f"archived=any&last_process_timestamp_to={OLD}&entity_type=ORDER",
    "archived=any&service_name=nope",
    "family=roots&parent_msg_id=5",
    "payload_contains=x&receive_timestamp_from=2025-01-01T00:00:00Z&receive_timestamp_to=2025-01-07T00:00:00Z",
]
# Filters whose rows lie at one end; ordered by receive_timestamp they would need an index of their own.
CLUSTERED = [
    "service_name=legacy",
    f"msg_timestamp_to={OLD}",
    f"last_process_timestamp_to={OLD}",
    "receive_timestamp_from=2025-06-01T00:00:00Z&receive_timestamp_to=2025-06-02T00:00:00Z",
    f"service_name=legacy&msg_timestamp_to={OLD}",
]
TABLES = ("message", "funnel", "archive_message", "archive_funnel", "cold_message")
ORDERS = {order.name: order for order in selectors.ORDERS}


@pytest.fixture(scope="module")
def hub(django_db_setup, django_db_blocker):
    """Fill the tables for this module, in a transaction that is undone."""
    with undone_filling(django_db_blocker) as cursor:
        cursor.execute(FILL, [START, STEP, ROWS])
        # By the figures of the empty table, each further row would look for its message from end to end.
        cursor.execute("ANALYZE message")
        cursor.execute(FILL_FUNNEL)
        cursor.execute(FILL_LARGE, [ROWS])
        cursor.execute(FILL_ARCHIVE, [ROWS, ROWS, START - ROWS * STEP, STEP, ROWS])
        cursor.execute(FILL_ARCHIVE_FUNNEL, [ROWS])
        narrow = {field.column for field in ColdMessage._meta.local_fields} - {"msg_id", "part_id"}
        columns = narrow & {field.column for field in ArchiveMessage._meta.local_fields}
        cursor.execute(FILL_COLD.format(columns=", ".join(sorted(columns))))
        cursor.execute(FILL_MEMBERS)
        cursor.execute(FILL_OUTAGE)
        cursor.execute(FILL_INCIDENTS)
        for table in (*TABLES, "failure_member", "incident_cell", "incident_message"):
            cursor.execute(f"ANALYZE {table}")
        yield


def plans(query: str, order: keyset.Order, msg_id: int | None) -> str:
    """Read the first step of a page, from the beginning or after a message; return the plans of it all."""
    start = msg_id and ((START + msg_id * STEP) if order.column != "msg_id" else msg_id, msg_id)
    parts = split_into_branches(message_filter.parse_message_filter(QueryDict(query), user=None), order)
    with CaptureQueriesContext(connection) as asked:
        read_with_patience(parts, order, start=start, descending=order.descending, limit=51, patience=0)
    return "\n\n".join(plan_of(query["sql"]) for query in asked.captured_queries)


def plan_of(sql: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, BUFFERS) {sql}")
        return "\n".join(line for (line,) in cursor)


_KEYS_OR_FUNNEL = re.compile(r"Bitmap Index Scan|Seq Scan on funnel|Hash\b")


def scanned(plan: str) -> list[str]:
    """Return the tables that a plan scans. The few rows of these here may be: it beats as many looks."""
    found = re.findall(r"Seq Scan on (\w+)", plan)
    small = {"funnel", "failure_member", "incident_cell", "incident_message"}
    return [table for table in found if table not in small and is_filled(table)]


def rows_read(plan: str) -> int:
    """Return the most rows that one node of the plan gave to another, or threw away."""
    lines = [line for line in plan.splitlines() if not _KEYS_OR_FUNNEL.search(line)]  # keys without rows
    return max(map(int, re.findall(r"(?:actual rows=|Rows Removed by .*: )(\d+)", "\n".join(lines))))


class TestBranches:
    @pytest.mark.parametrize("msg_id", quick_first([ROWS // 2, None]), ids=["deep", "first"])
    @pytest.mark.parametrize("ordering", ORDERS)
    @pytest.mark.parametrize("query", FILTERS)
    def test_reads_a_page_without_scanning_the_table(self, hub, query, ordering, msg_id):
        plan = plans(query, ORDERS[ordering], msg_id)
        assert not scanned(plan)
        assert rows_read(plan) < ROWS / 10, plan

    @pytest.mark.parametrize("msg_id", [None, ROWS // 2], ids=["first", "deep"])
    @pytest.mark.parametrize("ordering", ["msg_id", "-msg_id"])
    @pytest.mark.parametrize("query", CLUSTERED)
    def test_reads_past_no_other_rows_when_the_filters_lie_at_one_end(self, hub, query, ordering, msg_id):
        plan = plans(query, ORDERS[ordering], msg_id)
        assert not scanned(plan)
        assert rows_read(plan) < ROWS / 10, plan

    @pytest.mark.parametrize("query", ["failure_group=4", "failure_group=4&state=OK", "incident=4"])
    def test_finds_old_failures_of_a_group_or_incident_in_the_first_step(self, hub, query):
        order = ORDERS["-msg_id"]
        parts = split_into_branches(message_filter.parse_message_filter(QueryDict(query), user=None), order)
        assert (
            len(read_with_patience(parts, order, start=None, descending=True, limit=51, patience=0).rows)
            == 51
        )

    def test_looks_for_no_failures_of_a_group_without_any(self, hub):
        order = ORDERS["-msg_id"]
        parts = split_into_branches(
            message_filter.parse_message_filter(QueryDict("failure_group=99"), user=None), order
        )
        page = read_with_patience(parts, order, start=None, descending=True, limit=51, patience=0)
        assert (page.rows, page.looked_until) == ([], None)

    @pytest.mark.parametrize("msg_id", quick_first([ROWS // 2, None]), ids=["deep", "first"])
    @pytest.mark.parametrize("ordering", ORDERS)
    @pytest.mark.parametrize("query", LOOKED_FOR)
    def test_checks_a_limited_number_of_rows_without_an_index(self, hub, query, ordering, msg_id):
        plan = plans(query, ORDERS[ordering], msg_id)
        assert not scanned(plan)
        assert rows_read(plan) < ROWS / 10, plan
