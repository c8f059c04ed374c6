"""Every query of the message store uses an index on large tables, and none reads much of it."""

from collections.abc import Iterator

import pytest
from django.db import connection

from messages_app.access.roles import ROLES
from messages_app.core.statements import Statements
from messages_app.message_store import selectors
from messages_app.message_store.models import MessageLine
from messages_app.message_store.selectors.failures import missing_records
from messages_app.message_store.services import begin
from messages_app.message_store.services.attempt import process_message
from messages_app.message_store.services.monitor import fill_queue, take_back_dead
from messages_app.shared.sql_files import SqlFiles
from tests.support.api_client import ApiClient
from tests.support.factories import make_user
from tests.support.fillings import undone_filling
from tests.support.page_client import client_of
from tests.support.plans import faults_in, faults_of, minute_of, pages_read_in, reads_of
from tests.support.staff import HUB, faults_of_page, staff_client
from tests.support.stores import define, store

statements = Statements("messages_app.message_store")
spark_statements = Statements("spark_tasks")


pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_steps")]

MESSAGES = 70_000
# Half of them wait for a record, half of those for the same one.
FILLING = """
INSERT INTO message_store (message_identifier, source_system, source_entity, message_timestamp,
                           effective_timestamp, user_name, refresh, data)
SELECT message_identifier, source_system, source_entity, message_timestamp, message_timestamp,
       'user-' || number % 7, number % 1000 = 0, '[]'
  FROM message_line;
INSERT INTO message_history (message_identifier, processed_timestamp, status, log_text)
SELECT message_identifier, message_timestamp, status, '' FROM message_line;
INSERT INTO archive_message_history (message_identifier, processed_timestamp, status)
SELECT message_identifier, message_timestamp - interval '1 day', status FROM message_line;
INSERT INTO unresolved_reference (message_identifier, entity, record_key)
SELECT message_identifier, 'customer', CASE WHEN number % 2 = 0 THEN '[1]' ELSE '[' || number || ']' END
  FROM message_line LIMIT 35000;
INSERT INTO target_record (entity, record_key, valid_from, valid_to, data, source_message, message_timestamp)
SELECT 'entity-' || number % 20, '[' || number || ']', message_timestamp,
       CASE WHEN number % 2 = 0 THEN now() END, '{}', message_identifier, message_timestamp
  FROM message_line;
INSERT INTO entity_refresh (entity, effective_timestamp, source_message, message_timestamp)
SELECT 'entity-' || n % 20, now() - n * interval '1 minute', md5(n::text)::uuid::text, now()
  FROM generate_series(1, 14000) AS n;
INSERT INTO message_count (source_system, source_entity, status, messages)
SELECT source_system, source_entity, status, count(*) FROM message_line GROUP BY 1, 2, 3;
UPDATE message_process SET error_message = 'Timeout after ' || left(message_identifier, 3) || ' ms'
 WHERE status >= 20
"""
TABLES = ("message_store", "message_process", "message_history", "message_line")
OTHERS = (
    "target_record",
    "unresolved_reference",
    "entity_refresh",
    "message_count",
    "archive_message_history",
)


@pytest.fixture(scope="module")
def client(django_db_setup, django_db_blocker) -> Iterator[ApiClient]:
    """Fill the tables, in a transaction that is undone, and give a client that may see everything."""
    with undone_filling(django_db_blocker) as cursor:
        for table in TABLES:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        filling = SqlFiles("benchmarks").read_text("filling/message_store")
        for statement in filling.split(";"):
            cursor.execute(statement, {"messages": MESSAGES})
        cursor.execute(FILLING)
        for table in TABLES:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
        cursor.execute(f"ANALYZE {', '.join(TABLES + OTHERS)}")
        yield ApiClient(make_user(*ROLES))


# Of thousands that the lines and their indexes have.
MAX_PAGES = 400
KNOWN = "c4ca4238-a0b9-2382-0dcc-509a6f75849b"
LISTS = [
    "",
    "?ordering=message_timestamp",
    "?status=25",
    "?status=0,2&ordering=message_timestamp",
    "?status=10",
    "?status=10&source_entity=entity-3",
    "?source_entity=entity-7",
    "?source_system=system-1",
    "?source_system=nobody",
    "?status=25&source_entity=entity-8",
    "?status=25&missing_entity=customer",
    "?status=25&missing_entity=customer&missing_key=1",
    "?missing_entity=customer&missing_key=77",
    "?missing_entity=customer&missing_key=nobody",
    "?message_timestamp_to=2020-01-01T00:00:00Z",
    "?next_attempt_timestamp_to=2020-01-01T00:00:00Z&status=2",
    f"?message_identifier={KNOWN}",
    "?orphaned=true",
    "?muted=true",
    "count/",
    "count/?status=10&source_system=system-2",
    "summary/",
    "error-groups/",
    f"{KNOWN}/",
    f"{KNOWN}/history/",
    f"{KNOWN}/explain/",
    f"{KNOWN}/data/",
]


PAGES = ["", "messages/", "messages/?orphaned=true", f"messages/{KNOWN}/", "errors/", "missing/", "monitor/"]
PAGES += ["missing/?entity=customer", "missing/?after_entity=customer&after=[1]"]


ADMIN = [
    "",
    "?o=5",
    "?status=25",
    "?status=10",
    "?status=10&source_entity=entity-3",
    "?source_system=system-1",
    "?source_entity=entity-7",
    "?message_timestamp_from=-24h",
    "?message_timestamp_from=-24h&status=25",
    f"?message_identifier={KNOWN}",
    f"?q={KNOWN}",
    "?q=nobody",
    f"{KNOWN}/change/",
]


class TestTheAdmin:
    @pytest.mark.parametrize("path", ADMIN)
    def test_reads_by_an_index(self, client, path):
        assert faults_of_page(staff_client(*ROLES, username="root"), f"{HUB}messagestore/{path}") == []


class TestQueriesOfTheLists:
    @pytest.mark.parametrize("path", LISTS)
    def test_read_by_an_index(self, client, path):
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            answer = client.get(f"message-store/{path}")
        assert answer.status_code == 200, answer.content
        assert faults_in(sent) == []

    @pytest.mark.parametrize(
        "path",
        [
            "?user_name=nobody",
            "?refresh=true",
            "?effective_timestamp_to=2020-01-01T00:00:00Z",
            "?processed_timestamp_to=2020-01-01T00:00:00Z&status=25",
            "?error_contains=xyz&status=25",
            "missing-references/",
        ],
    )
    def test_avoid_scans_if_rows_are_skipped_in_a_few_steps(self, client, path):
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            assert client.get(f"message-store/{path}").status_code == 200
        assert [fault for fault in faults_in(sent) if "scans" in fault[0]] == []

    @pytest.mark.parametrize("path", PAGES)
    def test_of_the_pages_read_by_an_index(self, client, path):
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            answer = client_of(*ROLES, username="pages").get(f"/message-store/{path}")
        assert answer.status_code == 200
        assert [fault for fault in faults_in(sent) if "scans" in fault[0]] == []

    def test_look_missing_records_up_by_their_keys(self, client):
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            first = missing_records()
            further = missing_records(entity="customer", after=("customer", "[1Z"))
        assert (len(first), len(further)) == (51, 51)
        assert (further[0].record_key, further[0].messages) == ("[1]", 1_000)
        assert faults_in(sent, most_rows=7_000) == []

    def test_read_by_an_index_for_what_a_message_wrote(self, client):
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            assert len(selectors.records_written(KNOWN)[0]) == 1
        assert faults_in(sent) == []


class TestAMinuteOfTheStore:
    @pytest.mark.parametrize("order", ["message_timestamp", "-message_timestamp"])
    @pytest.mark.parametrize(
        "filter", ["source_entity=entity-7", "status=25", "status=25&source_entity=entity-8"]
    )
    def test_is_found_without_reading_the_rest(self, client, filter, order):
        start, stop = minute_of(12)
        path = f"?message_timestamp_from={start}&message_timestamp_to={stop}&ordering={order}&{filter}"
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            assert client.get(f"message-store/{path}").status_code == 200
        assert pages_read_in(sent) < MAX_PAGES


class TestStatementsOfTheServices:
    def test_read_by_an_index(self, client, settings):
        settings.MESSAGE_STORE_QUEUE = 30
        sent = []

        def note(execute, sql, params, many, context):
            if "message_" in sql or "target_record" in sql:
                sent.append((sql, params))
            return execute(sql, params, many, context)

        define("system-1", "entity-1", json_schema={}, references={"customer": "entity-7"})
        with connection.execute_wrapper(note):
            process_message(
                store([{"id": 1, "customer": 7}], system="system-1", entity="entity-1", refresh=True)
            )
            process_message(store([{"id": 1, "customer": -1}], system="system-1", entity="entity-1"))
            fill_queue()
            begin.take_queued(most=9)
            take_back_dead()
        assert len(sent) > 10
        # A refresh ends what its entity had: thousands of these records, and it reads no others.
        assert faults_in(sent, most_rows=5_000) == []

    def test_of_jobs_read_by_an_index(self, client):
        numbers = list(MessageLine.objects.filter(status=25).values_list("pk", flat=True)[:200])
        values = {"ids": numbers, "states": ["25"] * len(numbers), "cutoff": "2036-01-01T00:00:00Z"}
        for name in ("reprocess_messages", "stored_states", "archive_history"):
            assert faults_of(spark_statements.read_text(name), values, most_rows=1_200) == [], name

    def test_pick_what_is_due_by_an_index(self, client):
        values = {"places": 10, "fence": 1000}
        assert faults_of(statements.read_text("fill_queue"), values, most_rows=2_500) == []
        assert (
            faults_of(statements.read_text("held_too_long"), {"seconds": 9, "limit": 100}, most_rows=200)
            == []
        )
        values = {"newest": 1000, "fence": 10_001, "processed": 10, "near_seconds": 2_851_200}
        assert faults_of(statements.read_text("ages"), values, most_rows=11_000) == []
