"""
The sums of a set of messages for a preview, counted in one pass by the tasks that read it.

Each task counts at most the messages that it reads. Spark adds the counts, and only the largest groups reach
the driver.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import psycopg
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from messages_app.shared.external_calls import MAX_A_MESSAGE, CallRow, SystemCount, add_up
from messages_app.shared.job_records import SetReport
from messages_app.shared.job_states import ACTIVE_STATES, SkipReason
from spark_tasks.database import TaskStatements, connect_to_database
from spark_tasks.ranges import Reading, as_frame, schema_of, to_batch

shared_statements = TaskStatements("messages_app.shared")
statements = TaskStatements("spark_tasks")


_SAMPLES = 10
MAX_GROUPS = 100  # the largest groups of each kind of count
_LOOKED_UP = 2_000  # messages a statement

_COUNTED = {
    "by_state": "state",
    "by_service": "service_name",
    "by_error": "failed_error_code",
    "by_funnel": "funnel_component_id",
}
_PLANNED, _SKIPPED, _SAMPLE, _SYSTEM = "planned", "skipped", "samples", "systems"
_COLUMNS = {"counted": "string", "name": "string", "measure": "string", "rows": "long"}

Counts = Counter[tuple[str, str, str]]


@dataclass(frozen=True, kw_only=True)
class SummaryOptions:
    """
    Options of the count in addition to the messages' columns.

    Args:
        rivals: the kinds of jobs whose messages are left to them; empty: no message is left to a job.
        restart_total: of a restart, whether it is one from scratch; None: no external call is repeated.
    """

    dsn: str
    rivals: tuple[str, ...] = ()
    restart_total: bool | None = None


def summarise_set(messages: DataFrame | Reading, *, options: SummaryOptions) -> SetReport:
    """
    Return the sums of the set.

    Args:
        messages: as selection.with_reasons returns.

    Returns:
        `planned`; counts of messages `by_state`, `by_service`, `by_error`, `by_funnel` (the 100 largest of
        each, a missing value as an empty text); `skipped` by reason; `samples`, ten ids that would be
        processed. For a restart also `systems`: by external system (the 100 with the most calls) how many
        calls are skipped and sent_again, how many of these repeatedly, and for how many messages
        asked_before.
    """

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with connect_to_database(options.dsn) as connection:
            counts, samples = count_all(connection, batches, options)
        rows = [(*key, number) for key, number in counts.items()]
        yield to_batch([*rows, *((_SAMPLE, str(each), "", each) for each in samples)], _COLUMNS)

    parts = messages.mapInArrow(count, schema_of(_COLUMNS))
    return _make_report(_largest_groups(as_frame(parts)), is_restart=options.restart_total is not None)


def count_all(
    connection: psycopg.Connection, batches: Iterator[pa.RecordBatch], options: SummaryOptions
) -> tuple[Counts, list[int]]:
    """Return the counts of the messages of some batches, and the first ids that would be processed."""
    counts: Counts = Counter()
    samples: list[int] = []
    jobs = _other_jobs(connection, options.rivals) if options.rivals else []
    for batch in batches:
        counts[_PLANNED, "", ""] += batch.num_rows
        for counted, column in _COUNTED.items():
            _add_counts(counts, counted, batch[column])
        _add_counts(counts, _SKIPPED, batch["reason"].drop_null())
        doing = batch["msg_id"].filter(pc.is_null(batch["reason"])).to_pylist()
        for start in range(0, len(doing), _LOOKED_UP):
            ids = doing[start : start + _LOOKED_UP]
            free = _free_messages(connection, jobs, ids)
            counts[_SKIPPED, str(SkipReason.IN_JOB), ""] += len(ids) - len(free)
            samples = sorted([*samples, *free])[:_SAMPLES]
            if options.restart_total is not None:
                _add_systems(connection, counts, free, total=options.restart_total)
    return counts, samples


def _add_counts(counts: Counts, counted: str, values: pa.Array) -> None:
    for each in pc.value_counts(values.cast(pa.string())).to_pylist():
        counts[counted, each["values"] or "", ""] += each["counts"]


def _other_jobs(connection: psycopg.Connection, kinds: Sequence[str]) -> list[int]:
    values = {"kinds": list(kinds), "active_states": sorted(ACTIVE_STATES)}
    return statements.fetch_column(connection, "active_jobs_of", values)


def _free_messages(connection: psycopg.Connection, jobs: Sequence[int], ids: list[int]) -> list[int]:
    """Return the messages that no other job has."""
    if not jobs:
        return ids
    values = {"job_ids": list(jobs), "ids": ids}
    of_others = set(statements.fetch_column(connection, "items_of_jobs", values))
    return [msg_id for msg_id in ids if msg_id not in of_others]


def _add_systems(connection: psycopg.Connection, counts: Counts, ids: list[int], *, total: bool) -> None:
    values = {"ids": ids, "most": MAX_A_MESSAGE}
    calls = shared_statements.run_statement(connection, "calls_of_messages", values)
    targets = shared_statements.fetch_rows(connection, "targets_of_messages", values)
    asked_before = Counter(uri for uri, _ in targets)
    calls_of_systems = add_up((CallRow(*row) for row in calls.fetchall()), asked_before.items(), total=total)
    for (system, measure), number in calls_of_systems.items():
        counts[_SYSTEM, system, measure] += number


def _largest_groups(parts: DataFrame) -> list[tuple[str, str, str, int]]:
    """Add up the tasks' counts, and return the largest groups of each; of samples, the first."""
    sums = parts.groupBy("counted", "name", "measure").agg(F.sum("rows").alias("rows"))
    whole = F.sum("rows").over(Window.partitionBy("counted", "name"))
    is_sample = F.col("counted") == _SAMPLE
    weighed = sums.withColumn("weight", F.when(is_sample, -F.col("rows")).otherwise(whole))
    place = F.dense_rank().over(Window.partitionBy("counted").orderBy(F.desc("weight"), "name"))
    ranked = weighed.withColumn("place", place).filter(F.col("place") <= MAX_GROUPS)
    rows = ranked.orderBy("counted", "place").collect()
    return [(row.counted, row.name, row.measure, row.rows) for row in rows]


def _make_report(rows: list[tuple[str, str, str, int]], *, is_restart: bool) -> SetReport:
    counts: dict[str, dict[str, int]] = {counted: {} for counted in (*_COUNTED, _SKIPPED, _PLANNED, _SAMPLE)}
    systems: dict[str, dict[str, int]] = {}
    for counted, name, measure, number in rows:
        if counted == _SYSTEM:
            systems.setdefault(name, dict.fromkeys(map(str, SystemCount), 0))[measure] = number
        elif number:
            counts[counted][name] = number
    summary: SetReport = {
        "planned": counts[_PLANNED].get("", 0),
        "samples": list(counts[_SAMPLE].values())[:_SAMPLES],
        "by_state": counts["by_state"],
        "by_service": counts["by_service"],
        "by_error": counts["by_error"],
        "by_funnel": counts["by_funnel"],
        "skipped": counts[_SKIPPED],
    }
    if is_restart:
        summary["systems"] = systems
    return summary
