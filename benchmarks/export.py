"""
Measure exports with payload in each format, compared with two processes that copy the same rows to files.

The peer is psql with `COPY (SELECT ...) TO STDOUT CSV`, one process for each half of the ids. It neither
plans nor joins, syncs or reads back its files. A second peer lets PostgreSQL make JSON of the rows.
"""

import statistics
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import psycopg

from benchmarks.databases import empty_template, fill_template, fresh_copy
from benchmarks.families import fill_families
from benchmarks.filling import fill_messages
from benchmarks.jobs import run_job
from hubconsole.devserver.postgres import binary_path

FORMATS = ("csv", "jsonl", "parquet")

_PROCESSES = 2
# A job needs a filter; all messages match this one.
_ALL = {"receive_timestamp_from": "2000-01-01T00:00:00Z"}
_ROWS = {
    "two COPY": "SELECT * FROM message",
    "two COPY of JSON": "SELECT to_json(message) FROM message",
}


class Run(NamedTuple):
    """One export: its seconds, and the bytes of its file."""

    seconds: float
    bytes: int


def measure_exports(home: Path, *, messages: int, rounds: int, parts: tuple[str, ...]) -> None:
    """Measure small messages, and a tenth of them with documents and envelopes of some kB."""
    _measure_format(home, messages, partial(fill_messages, messages=messages), rounds, parts)
    empty_template(home)
    of_documents = messages // 10
    _measure_format(home, of_documents, partial(fill_families, families=of_documents * 5 // 6), rounds, parts)


def _measure_format(
    home: Path,
    messages: int,
    filling: Callable[[psycopg.Cursor], None],
    rounds: int,
    formats: tuple[str, ...],
) -> None:
    fill_template(home, filling)
    url = fresh_copy(home)
    _export_messages("csv")  # The first job after a start of Spark is slow.
    copies: dict[str, list[float]] = {name: [] for name in _ROWS}
    exports: dict[str, list[Run]] = {name: [] for name in formats}
    for _ in range(rounds):
        for name, rows in _ROWS.items():
            copies[name].append(_copy_rows(url, home, rows))
        for name in formats:
            exports[name].append(_export_messages(name))
    _print_table(messages, copies, exports)


def _copy_rows(url: str, home: Path, rows: str) -> float:
    """Return the seconds until both processes have written their half of the rows."""
    with psycopg.connect(url) as hub:
        first, last = hub.execute("SELECT min(msg_id), max(msg_id) FROM message").fetchone()
    middle = (first + last) // 2
    halves = [f"msg_id <= {middle}", f"msg_id > {middle}"]
    paths = [home / f"copy-{number}" for number in range(_PROCESSES)]
    began = time.monotonic()
    started = [
        _start_copy(url, f"{rows} WHERE {half} ORDER BY msg_id", path)
        for half, path in zip(halves, paths, strict=True)
    ]
    ends = [process.wait() for process in started]
    seconds = time.monotonic() - began
    for path in paths:
        path.unlink()
    if any(ends):
        raise SystemExit("A COPY failed.")
    return seconds


def _start_copy(url: str, query: str, path: Path) -> subprocess.Popen[bytes]:
    with path.open("wb") as file:
        return subprocess.Popen(
            [binary_path("psql"), "-X", "-q", url, "-c", f"COPY ({query}) TO STDOUT CSV"],
            stdout=file,
        )


def _export_messages(format: str) -> Run:
    from messages_app.jobs.exports import export_storage, folder_of
    from messages_app.jobs.models import Job

    seconds = run_job("export", filter=_ALL, options={"format": format, "payload": True})
    job = Job.objects.latest("pk")
    export_storage().remove_folder(folder_of(job.pk))
    return Run(seconds, job.report["files"][0]["bytes"])


def _print_table(messages: int, copies: dict[str, list[float]], exports: dict[str, list[Run]]) -> None:
    print(f"{messages} messages with payload; medians (min to max)")
    medians = {name: statistics.median(values) for name, values in copies.items()}
    for name, values in copies.items():
        print(f"{name:18} {medians[name]:>6.1f} s ({min(values):.1f} to {max(values):.1f})")
    for name, runs in exports.items():
        totals = [run.seconds for run in runs]
        total = statistics.median(totals)
        ratios = ", ".join(f"{total / seconds:.2f} of {peer}" for peer, seconds in medians.items())
        print(
            f"{name:18} {total:>6.1f} s ({min(totals):.1f} to {max(totals):.1f}): {ratios};"
            f" {runs[0].bytes / 1e6:.0f} MB"
        )
