"""
Measure the first page at several sizes, with and without a running archive job. Budget: p95 under 500 ms.

A separate process sends requests as fast as they are answered. A tile that was slow to read is cached for a
while (dashboard/tiles.py), as for any user.
"""

import threading
from functools import partial
from pathlib import Path

from benchmarks.databases import empty_template, fill_template, fresh_copy
from benchmarks.filling import fill_messages
from benchmarks.jobs import run_job
from benchmarks.lists import compute_percentiles, make_environment
from benchmarks.probe import ask_server, times_of

SIZES = (10_000, 10_000_000)
WINDOWS = ("1h", "24h", "7d")
_ROUNDS = 40


def measure_dashboard(home: Path, *, sizes: tuple[int, ...]) -> None:
    """Print p50 and p95 of each window, in milliseconds."""
    head = f"{'messages':>10} {'window':>7} {'p50 ms':>8} {'p95 ms':>8}"
    print(f"{head} {'job: p50':>12} {'p95':>8} {'sent':>6}")
    for size in sizes:
        empty_template(home)
        fill_template(home, partial(fill_messages, messages=size))
        url = fresh_copy(home)
        count_history()
        alone = _ask_dashboard(home, url)
        with_job = _ask_beside_archive_job(home, url)
        for window, first, second in zip(WINDOWS, alone, with_job, strict=True):
            columns = "".join(f"{value:>9.0f}" for value in compute_percentiles(first))
            busy = (
                f"{compute_percentiles(second)[0]:>12.0f} {compute_percentiles(second)[1]:>8.0f}"
                if second
                else ""
            )
            print(f"{size:>10} {window:>7}{columns} {busy} {len(second):>6}", flush=True)


def count_history() -> None:
    """Count and group all history, as the tasks would have done when the messages arrived."""
    from messages_app.jobs.connections import database_dsn, spark_address
    from messages_app.messages.failures import grouping
    from spark_tasks.counts import replace_counts
    from spark_tasks.failure_groups import group_history
    from spark_tasks.session import spark_session

    with spark_session(spark_address()) as spark:
        replace_counts(spark, dsn=database_dsn())
        group_history(spark, dsn=database_dsn())
    grouping.coarsen_minutes()


def _ask_dashboard(home: Path, url: str, rounds: int = _ROUNDS) -> list[list[float]]:
    questions = {"addresses": [f"/?window={one}" for one in WINDOWS], "deep_queries": [], "depth": 0}
    answers = ask_server(
        questions | {"rounds": rounds}, environment=make_environment(home, url, "hubconsole.settings")
    )
    return times_of(answers)


def _ask_beside_archive_job(home: Path, url: str) -> list[list[float]]:
    """Send requests until the job ends; the one during its end does not count."""
    times_by_window: list[list[float]] = [[] for _ in WINDOWS]
    ended = threading.Event()
    job = threading.Thread(target=_archive_months, args=(ended,))
    job.start()
    while not ended.is_set():
        times = _ask_dashboard(home, url, rounds=5)
        if not ended.is_set():
            times_by_window = [[*before, *more] for before, more in zip(times_by_window, times, strict=True)]
    job.join()
    return times_by_window


def _archive_months(ended: threading.Event) -> None:
    from django.db import connection

    try:
        run_job("archive", filter={}, options={"older_than_months": 1})
    finally:
        connection.close()
        ended.set()
