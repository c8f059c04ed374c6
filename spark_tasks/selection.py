"""
The frozen set of a job, read by SQL that the driver made of a filter: one task for each range of ids.

Source: DESIGN.md rule 5; reliability I-31.
"""

from collections.abc import Collection, Iterator, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from messages_app.jobs.states import ChunkContent, SkipReason
from spark_tasks.database import connect
from spark_tasks.ranges import fetch_batches

# What a plan knows of each message.
COLUMNS = {
    "msg_id": "long",
    "state": "string",
    "service_name": "string",
    "failed_error_code": "string",
    "funnel_component_id": "string",
}

# SQL with its parameters in order.
Query = tuple[str, tuple[object, ...]]


def selected(spark: SparkSession, *, dsn: str, queries: Sequence[Query]) -> DataFrame:
    """
    Return one row per message of the set, with COLUMNS.

    Args:
        queries: each gives COLUMNS in their order, and no message that another gives.
    """
    schema = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    if not queries:
        return spark.createDataFrame([], schema)
    chosen = list(queries)

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for index in batch.column(0).to_pylist():
                sql, params = chosen[index]
                with connect(dsn) as connection:
                    yield from fetch_batches(connection, sql, params, COLUMNS)

    return spark.range(0, len(chosen), 1, len(chosen)).mapInArrow(read, schema)


def with_reasons(messages: DataFrame, *, allowed: Collection[str] | None) -> DataFrame:
    """
    Say which messages of the set a job will leave.

    Args:
        messages: as `selected` returns.
        allowed: states in which the job may do something; None: all.

    Returns:
        The same rows with `reason`: a SkipReason, null where the message is to be done.
    """
    if allowed is None:
        return messages.withColumn("reason", F.lit(None).cast("string"))
    is_allowed = F.col("state").isin(sorted(allowed))
    conflict = F.when(~is_allowed, F.lit(str(SkipReason.STATE_CONFLICT)))
    return messages.withColumn("reason", conflict)


def each_once(messages: DataFrame) -> DataFrame:
    """Leave one row of each message, and neighbouring ids together."""
    return messages.dropDuplicates(["msg_id"]).repartitionByRange("msg_id")


def plan_rows(messages: DataFrame) -> DataFrame:
    """Return messages, each a family of its own, as rows of a plan (plans.PlanRow)."""
    return messages.select(
        F.lit(str(ChunkContent.MESSAGES)).alias("content"),
        F.col("msg_id").alias("root_id"),
        F.col("msg_id").alias("id"),
        "state",
        "reason",
    ).sortWithinPartitions("id")
