"""If a hub's own procedure archives rows of a job as well, one of two equal rows is removed."""

import threading
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from messages_app.jobs.connections import own_dsn
from messages_app.jobs.models import Job
from spark_tasks.database import connect_to_database
from spark_tasks.moves.second_rows import removal_statement, remove_second_rows
from spark_tasks.tables import Behind, HubTable
from tests.support.eventually import eventually
from tests.support.executors import asks_for_others
from tests.support.ledgers import store_ledger
from tests.support.plans import nodes_of

pytestmark = pytest.mark.django_db(transaction=True)

HUB = """
CREATE SCHEMA hub;
CREATE TABLE hub.message (msg_id bigint PRIMARY KEY, payload text);
CREATE TABLE hub.archive_message (msg_id bigint, payload text);
CREATE INDEX ON hub.archive_message (msg_id);
CREATE TABLE hub.external_call (call_id bigint, msg_id bigint);
CREATE TABLE hub.archive_external_call (call_id bigint, msg_id bigint);
CREATE INDEX ON hub.archive_external_call (msg_id);
CREATE FUNCTION hub.archive_records() RETURNS void LANGUAGE sql AS '';
"""
BY_ID = """
DROP TABLE hub.archive_message;
CREATE TABLE hub.archive_message (msg_id bigint, payload text) PARTITION BY RANGE (msg_id);
CREATE TABLE hub.archive_message_1 PARTITION OF hub.archive_message FOR VALUES FROM (1) TO (5);
CREATE TABLE hub.archive_message_5 PARTITION OF hub.archive_message DEFAULT;
CREATE INDEX ON hub.archive_message (msg_id);
"""
ARCHIVED = """
INSERT INTO hub.archive_message VALUES (1, 'a'), (1, 'a'), (2, 'b'), (3, 'c'), (3, 'other'), (4, 'd'),
                                       (4, 'd'), (5, NULL), (5, NULL), (5, NULL);
INSERT INTO hub.archive_external_call VALUES (10, 1), (10, 1), (11, 1), (12, 2);
"""


def table(name: str, key: str) -> HubTable:
    behind = Behind(live=f"hub.{name}", archive=f"hub.archive_{name}", zone="UTC")
    return HubTable(live=name, archive=f"archive_{name}", key=key, chosen="", behind=behind)


TABLES = (table("external_call", "call_id"), table("message", "msg_id"))


@pytest.fixture
def hub(db) -> Iterator[psycopg.Connection]:
    with psycopg.connect(own_dsn(), autocommit=True) as session:
        session.execute(HUB)
        yield session
        session.execute("DROP SCHEMA hub CASCADE")


@pytest.fixture
def job(db) -> Job:
    """A job that has moved 1, 2, 3 and 5, and has left 4 where it was."""
    job = Job.objects.create(kind="archive", state="running", reason="x", created_by="ada")
    store_ledger(job, {1: "done", 2: "done", 3: "done", 4: "skipped:locked", 5: "done"})
    return job


def remove(job: Job, **options: float) -> int:
    with connect_to_database(own_dsn()) as session:
        return remove_second_rows(session, job_id=job.pk, tables=TABLES, **options)


def messages(hub: psycopg.Connection) -> list[tuple]:
    return hub.execute("SELECT msg_id, payload FROM hub.archive_message ORDER BY 1, 2").fetchall()


class TestRemoveSecondRows:
    def test_leaves_one_of_equal_rows_of_moved_messages_and_every_other(self, hub, job):
        hub.execute(ARCHIVED)
        assert remove(job) == 1 + 2 + 1
        assert messages(hub) == [(1, "a"), (2, "b"), (3, "c"), (3, "other"), (4, "d"), (4, "d"), (5, None)]
        calls = hub.execute("SELECT call_id, msg_id FROM hub.archive_external_call ORDER BY 1").fetchall()
        assert calls == [(10, 1), (11, 1), (12, 2)]
        assert remove(job) == 0

    def test_waits_for_a_procedure_that_copies_them_at_the_moment(self, hub, job):
        with psycopg.connect(own_dsn()) as procedure:
            procedure.execute("SELECT FROM hub.message")  # it keeps what it read until it stores it
            found: list[int] = []
            removing = threading.Thread(target=lambda: found.append(remove(job)))
            removing.start()
            eventually(lambda: asks_for_others(hub))
            procedure.execute("INSERT INTO hub.archive_message VALUES (2, 'b'), (2, 'b')")
            assert found == []
            procedure.commit()
        removing.join()
        assert (found, messages(hub)) == ([1], [(2, "b")])

    def test_leaves_rows_at_the_same_place_of_another_partition(self, hub, job):
        hub.execute(BY_ID)
        hub.execute("INSERT INTO hub.archive_message VALUES (1, 'a'), (2, 'b'), (5, 'e'), (5, 'e')")

        assert remove(job) == 1

        assert messages(hub) == [(1, "a"), (2, "b"), (5, "e")]

    def test_does_not_wait_forever(self, hub, job):
        hub.execute(ARCHIVED)
        with psycopg.connect(own_dsn()) as backup:
            backup.execute("SELECT FROM hub.message")
            assert remove(job, longest_wait=0.1) == 4

    def test_does_not_read_a_hub_without_such_a_procedure(self, hub, job):
        hub.execute(ARCHIVED)
        hub.execute("DROP FUNCTION hub.archive_records()")
        assert remove(job) == 0

    def test_reads_a_large_archive_by_an_index(self, hub, job):
        hub.execute(
            "INSERT INTO hub.archive_message SELECT n, repeat('x', 200) FROM generate_series(1, 50000) AS n"
        )
        hub.execute("ANALYZE hub.archive_message")
        hub.execute(
            "INSERT INTO hub.archive_message SELECT * FROM hub.archive_message WHERE msg_id IN (2, 5)"
        )
        explain = sql.SQL("EXPLAIN (ANALYZE, FORMAT JSON) ") + removal_statement(
            "hub.archive_message", "msg_id"
        )
        (plan,) = hub.execute(explain, {"job_id": job.pk, "chunk_no": 0}).fetchone()
        read = {
            node["Node Type"]
            for node in nodes_of(plan[0]["Plan"])
            if "archive" in node.get("Relation Name", "")
        }
        assert "Tid Scan" in read
        assert "Seq Scan" not in read
        assert remove(job) == 0
        assert hub.execute("SELECT count(*) FROM hub.archive_message").fetchone() == (50_000,)

    def test_does_not_search_an_archive_without_an_index(self, hub, job, caplog):
        hub.execute(ARCHIVED)
        hub.execute("DROP INDEX hub.archive_message_msg_id_idx")
        assert remove(job) == 1
        assert "hub.archive_message has no index on msg_id" in caplog.text
        assert len(messages(hub)) == 10

    def test_skips_tables_whose_keys_prevent_it(self, hub, job, caplog):
        hub.execute("DROP INDEX hub.archive_message_msg_id_idx")
        hub.execute("ALTER TABLE hub.archive_message ADD PRIMARY KEY (msg_id)")
        assert remove(job) == 0
        assert caplog.text == ""
