"""
Measure the grouping of failed messages on Spark, compared with a Python loop over the same rows.

Both use the same rule. Spark's time is that of the product's command, which also writes each message's group
and the counts over time; the loop does not.
"""

import statistics
import time
from collections import Counter
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.databases import fill_template, fresh_copy
from benchmarks.filling import stop_triggers
from messages_app.shared.failure_texts import failure_of
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")

_FAILED = """
SELECT service_name, operation_name, failed_error_code, left(failed_desc, 500)
  FROM message
 WHERE state = 'FAILED'
"""
_AT_ONCE = 10_000


def measure_grouping(home: Path, *, messages: int, rounds: int) -> dict[str, float]:
    """Print the times, and return how many times as fast as the loop Spark is."""
    fill_template(home, partial(fill_failures, messages=messages))
    loops: list[float] = []
    jobs: list[float] = []
    fresh_copy(home)
    _group_on_spark()  # the first one warms up
    for _ in range(rounds):
        loops.append(_group_in_loop(fresh_copy(home), messages))
        fresh_copy(home)
        jobs.append(_group_on_spark())
    loop, spark = statistics.median(loops), statistics.median(jobs)
    print(
        f"{messages} failures: plain loop {loop:.1f} s ({min(loops):.1f} to {max(loops):.1f}), grouped only"
    )
    print(f"Spark: {spark:.1f} s ({min(jobs):.1f} to {max(jobs):.1f}), grouped and written")
    print(f"Spark / loop: {spark / loop:.2f}")
    return {"failure groups, a plain loop": loop / spark}


def fill_failures(hub: psycopg.Cursor, *, messages: int) -> None:
    """Insert failures from before the installation, which are neither in a group nor waiting for one."""
    statement = statements.read_text("filling/failures")
    triggers = stop_triggers(hub)
    hub.execute(statement, {"messages": messages})
    for one in triggers:
        hub.execute(one)


def _group_in_loop(url: str, messages: int) -> float:
    began = time.monotonic()
    groups: Counter[str] = Counter()
    with psycopg.connect(url) as hub, hub.cursor("failures") as rows:
        rows.itersize = _AT_ONCE
        rows.execute(_FAILED)
        for row in rows:
            groups[failure_of(*row).fingerprint] += 1
    seconds = time.monotonic() - began
    if groups.total() != messages:
        raise SystemExit(f"The loop met {groups.total()} failures of {messages}.")
    return seconds


def _group_on_spark() -> float:
    from messages_app.jobs.connections import database_dsn, spark_address
    from spark_tasks.failure_groups import group_history
    from spark_tasks.session import spark_session

    began = time.monotonic()
    with spark_session(spark_address()) as spark:
        group_history(spark, dsn=database_dsn())
    return time.monotonic() - began
