"""
Does what a small job has Spark do, with nothing to do: afterwards a real one finds all of it started.

What a first job pays for is a JVM that has run none of it yet, Python workers that are not forked, and code
that they have not loaded. psycopg only, no Django.
"""

import os
from collections.abc import Iterator
from importlib import import_module

import pyarrow as pa
from pyspark.sql import SparkSession

from spark_tasks.contract import Action, JobKey
from spark_tasks.database import connect, settle_in
from spark_tasks.executor import run_chunks, tasks_for
from spark_tasks.plans.plans import COUNTS
from spark_tasks.ranges import Task, schema_of, to_batch

# What the tasks of jobs are made of.
_MODULES = (
    "spark_tasks.actions.archive_parquet",
    "spark_tasks.exports.files",
    "spark_tasks.actions.archive",
    "spark_tasks.actions.reprocess",
    "spark_tasks.actions.restore_plan",
    "spark_tasks.set_summary",
    "spark_tasks.actions.transitions",
)
# No job has this id: its chunks are fenced off as those of a job that someone has taken over.
_NO_JOB = 0
_CHUNKS = 8
# By then a round takes as long as the next one: the JVM has compiled what it runs.
_ROUNDS = 8


def rehearse(spark: SparkSession, *, dsn: str, action: Action) -> None:
    """Plan and run a job that is not there, several times; nothing is read or changed."""
    key = JobKey(dsn=dsn, job_id=_NO_JOB, attempt=_NO_JOB, rivals=())
    for _ in range(_ROUNDS):
        spark.range(0, 1, 1, 1).mapInArrow(_planning(dsn), schema_of(COUNTS)).collect()
        run_chunks(spark, key=key, action=action, chunk_nos=range(_CHUNKS), rate=None)


def keep_alive(spark: SparkSession) -> list[int]:
    """
    Have each Python worker do nothing, once; return the processes that did.

    Spark ends a worker that has had no task for a minute, and a session that no one has asked for an hour.
    """
    tasks = tasks_for(spark, _CHUNKS)
    found = spark.range(0, tasks, 1, tasks).mapInArrow(_process, schema_of(COUNTS)).collect()
    return [row.rows for row in found]


def _planning(dsn: str) -> Task:
    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        settle_in()
        for name in _MODULES:
            import_module(name)
        with connect(dsn) as connection:
            connection.execute("SELECT 1")
        yield to_batch([("chunks", sum(batch.num_rows for batch in batches))], COUNTS)

    return work


def _process(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    settle_in()
    list(batches)
    yield to_batch([("process", os.getpid())], COUNTS)
