"""How a job's chunks are handed out: over how many connections, in which order, and for how long."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg
import pytest
from pyspark.sql import SparkSession

from messages_app.jobs.models import JobChunk
from spark_tasks.contract import Action, Decided, Item, JobKey, TaskTimes
from spark_tasks.database import CONNECTIONS
from spark_tasks.executor import do_chunks, run_chunks
from spark_tasks.session import spark_session
from tests.spark_tasks.moves.scenes import make_families, running_job

pytestmark = pytest.mark.django_db(transaction=True)


def _noting_connections() -> Action:
    """Return an action that changes nothing, and counts a chunk's messages under its connection's process."""

    class Noting:  # inside: shipped as it is, for workers have no tests to import it from
        new_state = None
        may_be_repeated = True

        def process_items(
            self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]
        ) -> Decided:
            return Decided(moved=Counter({str(connection.info.backend_pid): len(items)}))

    return Noting()


@pytest.fixture
def key() -> JobKey:
    """Return a running job of ten chunks, numbered from 0."""
    return running_job(make_families(20), chunk_size=2)


@pytest.fixture
def spark(spark_remote: str) -> Iterator[SparkSession]:
    with spark_session(spark_remote) as session:
        yield session


@contextmanager
def connections(spark: SparkSession, number: str | None) -> Iterator[None]:
    before = spark.conf.get(CONNECTIONS)
    if number is None:
        spark.conf.unset(CONNECTIONS)
    else:
        spark.conf.set(CONNECTIONS, number)
    try:
        yield
    finally:
        spark.conf.set(CONNECTIONS, before)


def run(spark: SparkSession, key: JobKey) -> list[TaskTimes]:
    return run_chunks(spark, key=key, action=_noting_connections(), chunk_nos=range(10), rate=None)


def chunks_by_connection() -> list[list[int]]:
    """Return the numbers of the chunks that are done, each connection's together."""
    found: dict[str, list[int]] = {}
    for chunk in JobChunk.objects.exclude(moved={}).order_by("chunk_no"):
        (pid,) = chunk.moved
        found.setdefault(pid, []).append(chunk.chunk_no)
    return sorted(found.values())


class TestRunChunks:
    @pytest.mark.parametrize(
        ("number", "dealt"),
        [
            ("1", [list(range(10))]),
            ("3", [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]]),
            ("64", [[chunk_no] for chunk_no in range(10)]),
        ],
    )
    def test_distributes_the_chunks_over_the_connections_that_spark_allows(self, spark, key, number, dealt):
        with connections(spark, number):
            run(spark, key)

        assert chunks_by_connection() == dealt

    def test_returns_when_each_task_began_and_ended_and_how_many_messages_it_decided(self, spark, key):
        before = time.time_ns()
        with connections(spark, "3"):
            times = run(spark, key)
        assert [task.decided for task in times] == [8, 6, 6]
        assert all(before <= task.began < task.ended <= time.time_ns() for task in times)

    def test_uses_more_tasks_than_cores_if_spark_has_no_setting(self, spark, key):
        with connections(spark, None):
            run(spark, key)

        assert chunks_by_connection() == [[0, 8], [1, 9], *([chunk_no] for chunk_no in range(2, 8))]

    @pytest.mark.parametrize("number", ["0", "-1", "many", "", "²"])
    def test_rejects_a_setting_that_is_not_a_number_above_zero(self, spark, key, number):
        with connections(spark, number), pytest.raises(ValueError, match=f"{CONNECTIONS} is '{number}'"):
            run(spark, key)

        assert chunks_by_connection() == []


class TestDoChunks:
    def test_begins_no_chunk_once_its_time_is_over(self, key):
        assert do_chunks(key, _noting_connections(), range(10), None, seconds=0) == 2

        assert chunks_by_connection() == [[0]]

    def test_processes_everything_if_no_time_is_set(self, key):
        assert do_chunks(key, _noting_connections(), range(10), None) == 20

        assert chunks_by_connection() == [list(range(10))]

    def test_retries_a_chunk_after_a_deadlock(self, key):
        """Source: docs/contributing/spec/promises.md, F-12."""
        action = _noting_connections()
        act, deadlocks = action.process_items, [1, 2]

        def cut(connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
            if deadlocks:
                deadlocks.pop()
                connection.execute("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'deadlock_detected'; END $$")
            return act(connection, key, items)

        action.process_items = cut

        assert do_chunks(key, action, range(10), None) == 20
        assert (deadlocks, chunks_by_connection()) == ([], [list(range(10))])
