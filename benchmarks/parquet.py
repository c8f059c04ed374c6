"""
Measure the archive in Parquet files, and the restore from it, compared with two other programs.

Both move the same rows of fresh copies of one database: two bare processes with COPY, pyarrow and DELETE, and
what a user of Spark writes, with its default JDBC source. After each step the rows are counted, and after a
restore they must be the ones from before.
"""

import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import psycopg

from benchmarks import parquet_peers
from benchmarks.databases import fill_template, fresh_copy
from benchmarks.families import fill_families
from benchmarks.jobs import run_job
from benchmarks.parquet_peers import TABLES, Set
from hubconsole.spark_server.java import find_java_home

JDBC, BARE, PRODUCT = "Spark's default JDBC", "two bare processes", "product"
STEPS = ("archive", "restore")
# How many times as fast as a peer the product must be.
GOALS = {JDBC: 4.0, BARE: 0.85}
_MONTHS = 2


class Round(NamedTuple):
    """Seconds of an archive and of the restore from it, its rows, and the bytes of its files."""

    archive: float
    restore: float
    rows: int
    bytes: int


# Archives or restores a set of the database at an address; the files are in a folder.
Step = Callable[[str, Path, Set], float]


def measure_parquet(home: Path, *, families: int, rounds: int) -> dict[str, float]:
    """Print the times, and return how many times as fast as its peers the product is."""
    fill_template(home, partial(fill_families, families=families))
    results: dict[str, list[Round]] = {}
    with _list_peers(home) as programs:
        for name, steps in programs.items():
            print(f"{name}, not counted: {_describe_round(_run_round(home, *steps))}", flush=True)
        for number in range(rounds):
            for name, steps in programs.items():
                results.setdefault(name, []).append(_run_round(home, *steps))
                print(f"round {number + 1}, {name}: {_describe_round(results[name][-1])}", flush=True)
    return _print_table(results)


@contextmanager
def _list_peers(home: Path) -> Iterator[dict[str, tuple[Step, Step]]]:
    """Yield for each program its archive and its restore. The processes of the peers are ready."""
    spawn = get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as spark, ProcessPoolExecutor(2, spawn) as bare:
        spark.submit(parquet_peers.start_spark, home, find_java_home(home)).result()
        yield {
            PRODUCT: (_archive_by_product, _restore_by_product),
            BARE: (
                partial(_by_halves, bare, parquet_peers.archive_half),
                partial(_by_halves, bare, parquet_peers.restore_half),
            ),
            JDBC: (
                partial(_by_one, spark, parquet_peers.archive_by_spark),
                partial(_by_one, spark, parquet_peers.restore_by_spark),
            ),
        }


def _run_round(home: Path, archive: Step, restore: Step) -> Round:
    url = fresh_copy(home)
    folder = _empty_folder()
    before, chosen = _compute_digests(url), _choose_messages(url)
    archived = archive(url, folder, chosen)
    rows = sum(count for count, _ in before.values()) - sum(
        count for count, _ in _compute_digests(url).values()
    )
    size = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
    restored = restore(url, folder, chosen)
    if _compute_digests(url) != before:
        raise SystemExit("The restored rows differ from the archived ones.")
    return Round(archived, restored, rows, size)


def _empty_folder() -> Path:
    from django.conf import settings

    folder = Path(settings.HUBCONSOLE_ARCHIVE_URI)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def _compute_digests(url: str) -> dict[str, tuple[int, int]]:
    """Return the number of rows of each table, and a sum over their texts."""
    query = "SELECT count(*), sum(hashtextextended({table}::text, 0)) FROM {table}"
    with psycopg.connect(url, autocommit=True) as hub:
        return {table: hub.execute(query.format(table=table)).fetchone() for table in TABLES}


def _choose_messages(url: str) -> Set:
    with psycopg.connect(url) as hub:
        cutoff, first, last = hub.execute(
            "SELECT now() - make_interval(months => %s), min(msg_id), max(msg_id) FROM message"
            " WHERE last_process_timestamp < now() - make_interval(months => %s)",
            [_MONTHS, _MONTHS],
        ).fetchone()
    return Set(cutoff.isoformat(), first, last)


def _archive_by_product(url: str, folder: Path, chosen: Set) -> float:
    options = {"older_than_months": _MONTHS, "to": "parquet"}
    return run_job("archive", filter={}, options=options)


def _restore_by_product(url: str, folder: Path, chosen: Set) -> float:
    every = {"receive_timestamp_from": "2000-01-01T00:00:00Z"}
    return run_job("restore", filter=every, options={})


def _by_halves(processes: Executor, step: Callable[[str, Path, Set], None], *work) -> float:
    url, folder, chosen = work
    began = time.monotonic()
    for done in [processes.submit(step, url, folder, half) for half in chosen.halves()]:
        done.result()
    return time.monotonic() - began


def _by_one(process: Executor, step: Callable[[str, Path, Set], None], *work) -> float:
    began = time.monotonic()
    process.submit(step, *work).result()
    return time.monotonic() - began


def _describe_round(one: Round) -> str:
    return (
        f"archive {one.archive:.1f} s, restore {one.restore:.1f} s, {one.rows} rows, {one.bytes / 1e6:.0f} MB"
    )


def _print_table(results: dict[str, list[Round]]) -> dict[str, float]:
    ratios = {}
    for step in STEPS:
        seconds = {name: [getattr(one, step) for one in rounds] for name, rounds in results.items()}
        medians = {name: statistics.median(each) for name, each in seconds.items()}
        for name, each in seconds.items():
            rate = results[name][0].rows / medians[name]
            print(
                f"{step:8} {name:22} {medians[name]:>6.1f} s ({min(each):.1f} to {max(each):.1f}),"
                f" {rate:>7.0f} rows/s"
            )
        for peer, goal in GOALS.items():
            ratio = medians[peer] / medians[PRODUCT]
            ratios[f"Parquet {step}, {peer}"] = ratio
            print(f"{step:8} {ratio:.2f} times as fast as {peer} (goal {goal})")
    return ratios
