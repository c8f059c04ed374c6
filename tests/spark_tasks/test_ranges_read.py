import pytest
from pyspark.sql.functions import spark_partition_id

from spark_tasks.ranges import Part, Reading, Task, as_frame
from spark_tasks.session import spark_session

SCHEMA = "number long, process long"


def read(first: int, last: int) -> Part:
    """Return a part that gives some numbers; made here, for workers have no tests to import it from."""

    def numbers():
        import os

        import pyarrow as pa

        values = list(range(first, last))
        yield pa.RecordBatch.from_pydict({"number": values, "process": [os.getpid()] * len(values)})

    return numbers


def sums() -> Task:
    """Return a task that adds each batch up, and says which processes read it and added it up."""

    def add(batches):
        import os

        import pyarrow as pa

        for batch in batches:
            read_by = set(batch["process"].to_pylist())
            found = {"total": [sum(batch["number"].to_pylist())], "is_same": [read_by == {os.getpid()}]}
            yield pa.RecordBatch.from_pydict(found)

    return add


@pytest.fixture
def reading(spark_remote: str):
    with spark_session(spark_remote) as spark:
        yield Reading(spark, (read(0, 3), read(3, 5)), SCHEMA)


class TestReading:
    def test_reads_each_part_in_its_own_task(self, reading):
        placed = reading.to_frame().withColumn("part", spark_partition_id()).collect()

        assert sorted((row.part, row.number) for row in placed) == [(0, 0), (0, 1), (0, 2), (1, 3), (1, 4)]

    def test_continues_in_the_process_that_reads(self, reading):
        rows = reading.mapInArrow(sums(), "total long, is_same boolean").collect()

        assert sorted(tuple(row) for row in rows) == [(3, True), (7, True)]

    def test_joins_the_parts_of_two(self, reading):
        both = reading.union(Reading(reading.spark, (read(7, 8),), SCHEMA))

        assert sorted(row.number for row in both.collect()) == [0, 1, 2, 3, 4, 7]

    def test_has_no_rows_without_parts(self, reading):
        nothing = Reading(reading.spark, (), SCHEMA)

        assert nothing.collect() == nothing.mapInArrow(sums(), "total long, is_same boolean").collect() == []


class TestAsFrame:
    def test_returns_rows_that_spark_may_sort(self, reading):
        assert [row.number for row in as_frame(reading).orderBy("number").collect()] == [0, 1, 2, 3, 4]

    def test_does_not_change_a_frame(self, reading):
        frame = reading.to_frame()

        assert as_frame(frame) is frame
