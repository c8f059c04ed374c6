"""
Rows that tasks read from the database, part by part, with what follows done by the same tasks.

Spark would start a Python process for each step, and carry all rows through the JVM between them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_tasks.workers import settle_in

Batches = Iterator[pa.RecordBatch]
Task = Callable[[Batches], Batches]
Part = Callable[[], Batches]


@dataclass(frozen=True)
class Reading:
    """
    Like a DataFrame as far as it goes: what takes either calls mapInArrow and collect.

    Args:
        parts: each is read by one task.
        schema: of all parts, as Spark writes it.
    """

    spark: SparkSession
    parts: tuple[Part, ...]
    schema: str

    def mapInArrow(self, task: Task, schema: str) -> "Reading":  # noqa: N802 - named as Spark's
        """Have each part's batches go through `task`, which gives batches of `schema`."""
        return Reading(self.spark, tuple(partial(_then, task, part) for part in self.parts), schema)

    def union(self, other: "Reading") -> "Reading":
        """Return the parts of both, which have one schema."""
        return Reading(self.spark, (*self.parts, *other.parts), self.schema)

    def frame(self) -> DataFrame:
        """Return the rows where Spark may join and sort them; one partition a part."""
        if not self.parts:
            return self.spark.createDataFrame([], self.schema)
        return self.spark.range(0, len(self.parts), 1, len(self.parts)).mapInArrow(
            _reader(self.parts), self.schema
        )

    def collect(self) -> list:
        return self.frame().collect()


def as_frame(rows: DataFrame | Reading) -> DataFrame:
    return rows.frame() if isinstance(rows, Reading) else rows


def _then(task: Task, part: Part) -> Batches:
    return task(part())


def _reader(parts: tuple[Part, ...]) -> Task:
    def read(batches: Batches) -> Batches:
        settle_in()
        for batch in batches:
            for index in batch.column(0).to_pylist():
                yield from parts[index]()

    return read
