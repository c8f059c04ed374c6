"""
Measure the comparison of as many failing as processed messages, each with an order of about 2 kB.

All times are with the reading of the messages from PostgreSQL, which runs on the same machine.
"""

import statistics
import time
from collections import Counter
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.databases import fill_template, fresh_copy
from benchmarks.filling import stop_triggers
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")

_FAILED = """
SELECT msg_id, state, service_name, failed_error_code, funnel_component_id
  FROM message
 WHERE state = 'FAILED' AND msg_id >= %s AND msg_id < %s
"""
_PARTS = 16


def measure_analysis(home: Path, *, messages: int, rounds: int) -> None:
    """Print the times of an analysis of `messages` failing and as many processed messages."""
    fill_template(home, partial(fill_orders, messages=2 * messages))
    fresh_copy(home)
    seconds = [_compare_orders(messages) for _ in range(rounds)]
    middle = statistics.median(seconds)
    print(
        f"{messages} failing and {messages} processed messages: {middle:.0f} s ({min(seconds):.0f} to"
        f" {max(seconds):.0f}), {2 * messages / middle:.0f} messages a second"
    )


def fill_orders(hub: psycopg.Cursor, *, messages: int) -> None:
    """Insert orders, of which half failed."""
    triggers = stop_triggers(hub)
    hub.execute(statements.read_text("filling/orders"), {"messages": messages})
    for one in triggers:
        hub.execute(one)
    hub.execute("ANALYZE message")


def _compare_orders(messages: int) -> float:
    from messages_app.jobs.connections import database_dsn, spark_address
    from spark_tasks.analyses.analysis import SampledSide, compare_sides
    from spark_tasks.analyses.comparison import SHARES, choose_share, plan_comparison, thin_samples
    from spark_tasks.analyses.counting import SparkSide
    from spark_tasks.analyses.reading import count_failing, count_passing, read_failing, read_passing
    from spark_tasks.analyses.sentences import write_sentence
    from spark_tasks.session import spark_session

    dsn, began = database_dsn(), time.monotonic()
    # Two messages for each failing one, with ids in steps of ten.
    width = -(-20 * (messages + 1) // _PARTS)
    queries = [(_FAILED, (part * width, (part + 1) * width)) for part in range(_PARTS)]
    counted: Counter[str] = Counter()
    with spark_session(spark_address()) as spark:
        failing = count_failing(spark, dsn=dsn, queries=queries)
        seconds = [minute.second for minute in failing]
        services = sorted({minute.service_name for minute in failing})
        with psycopg.connect(dsn) as hub:
            passing = count_passing(hub, services, min(seconds), max(seconds) + 60)
        comparison = plan_comparison(failing, passing)
        print(f"  strata {time.monotonic() - began:.1f} s, {len(comparison.samples)} samples", flush=True)

        def note_progress(number: int) -> None:
            counted["messages"] += number
            counted["parts"] += 1
            if counted["parts"] % _PARTS == 0:
                print(f"  {time.monotonic() - began:.1f} s: {counted['messages']} messages", flush=True)

        analysis = compare_sides(
            SampledSide(
                *(
                    SparkSide(read_failing(spark, dsn=dsn, queries=queries, share=share), note_progress)
                    for share in (SHARES, choose_share(failing.total()))
                )
            ),
            SampledSide(
                *(
                    SparkSide(
                        read_passing(spark, dsn=dsn, samples=thin_samples(comparison.samples, share)),
                        note_progress,
                    )
                    for share in (SHARES, choose_share(comparison.messages))
                )
            ),
        )
    print(
        f"  {analysis.failing} failing, {analysis.passing} passing:",
        *map(write_sentence, analysis.findings[:2]),
    )
    return time.monotonic() - began
