"""
Measure the memory of archive jobs of different sizes: of this process, which acts as the worker, and of
Spark's server and its Python workers. It should not grow with the job.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psutil

from benchmarks.databases import empty_template, fill_template, fresh_copy
from benchmarks.filling import fill
from benchmarks.phases import run_on_spark
from hubconsole.spark_server import server

SIZES = (100_000, 1_000_000, 5_000_000)
_MB = 1024 * 1024
_SAMPLED_EVERY = 0.2  # seconds


def measure(home: Path, *, sizes: tuple[int, ...]) -> None:
    print(
        f"{'messages':>10} {'rows':>10} {'s':>7} {'worker MB':>10} {'server MB':>10} {'largest task MB':>16}"
    )
    for size in sizes:
        empty_template(home)
        fill_template(home, partial(fill, messages=size))
        fresh_copy(home)
        with watched(home) as peak:
            seconds = run_on_spark("archive", filter={}, options={"older_than_months": 1}).total
        found = f"{peak['worker']:>10.0f} {peak['server']:>10.0f} {peak['task']:>16.0f}"
        print(f"{size:>10} {_rows_moved():>10} {seconds:>7.0f} {found}", flush=True)


def _rows_moved() -> int:
    """Return how many rows of all tables the last job moved: about half of the messages are old enough."""
    from messages_app.jobs.models import Job
    from messages_app.jobs.selectors import job_progress

    return sum(job_progress(Job.objects.latest("pk").pk).moved.values())


@contextmanager
def watched(home: Path) -> Iterator[dict[str, float]]:
    """Yield the peak memory in MB by kind of process; complete when the block has ended."""
    peak = dict.fromkeys(("worker", "server", "task"), 0.0)
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(home, peak, ended))
    watcher.start()
    try:
        yield peak
    finally:
        ended.set()
        watcher.join()


def _watch(home: Path, peak: dict[str, float], ended: threading.Event) -> None:
    server = _server(home)
    while not ended.wait(_SAMPLED_EVERY):
        _note(peak, "worker", psutil.Process())
        _note(peak, "server", server)
        for task in server.children(recursive=True):
            _note(peak, "task", task)


def _server(home: Path) -> psutil.Process:
    """Return the process of this home's Spark server."""
    children = psutil.Process().children(recursive=True)
    return next(child for child in children if server.CLASS in child.cmdline())


def _note(peak: dict[str, float], kind: str, process: psutil.Process) -> None:
    try:
        peak[kind] = max(peak[kind], process.memory_info().rss / _MB)
    except psutil.NoSuchProcess:
        return
