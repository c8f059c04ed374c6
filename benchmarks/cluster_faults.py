"""
Faults of one of two machines of a Spark cluster under an archive job: slow, a full disk, no network.

The job must end, and the oracle of the tests must find every row once.
"""

import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg

from benchmarks.databases import RUN, fresh_copy
from benchmarks.machines import Machine
from benchmarks.phases import Phases, run_on_spark
from messages_app.core.embedded_servers import database_url

TARGETS = ("tables", "parquet")
_DISK = "size=200m"
# A filter, so that Spark's joins plan the families and write to the disks of the machines.
_EVERY = {"receive_timestamp_from": "2000-01-01T00:00:00Z"}
_LEDGER = "SELECT outcome, count(*), count(DISTINCT msg_id) FROM job_ledger GROUP BY outcome"
_DONE_BEFORE_FAULT = 1_000
_SECONDS = 600


def give_disk(machine: Machine, home: Path) -> Path:
    """Give a machine a small disk of its own for what Spark writes."""
    folder = home / "spark" / machine.name
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["/usr/bin/mount", "-t", "tmpfs", "-o", _DISK, "none", str(folder)], check=True)
    return folder


def take_disk(folder: Path) -> None:
    subprocess.run(["/usr/bin/umount", "--lazy", str(folder)], check=False)


def measure(home: Path, machine: Machine, disk: Path) -> None:
    """Print what each fault of a machine costs a job; the last one takes the machine away."""
    filler = disk / "filler"
    for target in TARGETS:
        _report(home, target, "no fault", _nothing)
    for target in TARGETS:
        _report(home, target, "ten times slower", lambda: machine.hold_to(machine.cores / 10))
        machine.hold_to(machine.cores)
    for target in TARGETS:
        _report(home, target, "its disk full", lambda: _fill(filler), before=True)
        filler.unlink()
    for target in TARGETS:
        _report(home, target, "cut off", machine.cut_off)
        machine.connect()


def _nothing() -> None:
    pass


def _fill(file: Path) -> None:
    with suppress(OSError), file.open("wb", buffering=0) as written:
        while True:
            written.write(bytes(1 << 20))


def _report(home: Path, target: str, name: str, fault: Callable[[], None], *, before: bool = False) -> None:
    """
    Run a job with a fault, before it starts or after its first messages, and check all rows.

    Raises:
        SystemExit: the job did not end well, or rows are lost, doubled or torn.
    """
    from tests.support.oracle import Oracle

    fresh_copy(home)
    oracle = Oracle()
    found: list[Phases] = []
    done = 0
    if before:
        fault()
    work = threading.Thread(target=_run, args=[target, found])
    work.start()
    with psycopg.connect(database_url(home, RUN), autocommit=True) as watcher:
        if not before:
            done = _wait_for_messages(watcher, work)
            fault()
        work.join(_SECONDS)
        outcomes = watcher.execute(_LEDGER).fetchall()
        states = watcher.execute("SELECT state, error FROM job").fetchall()
    verdict = str(oracle.verdict())
    seconds = found[0].total if found else 0
    print(f"archive to {target}, {name} after {done}: {seconds:.1f} s; {outcomes} {verdict}", flush=True)
    if not found or verdict or any(number != distinct for _, number, distinct in outcomes):
        raise SystemExit(f"The job ended as {states}.")


def _run(target: str, found: list[Phases]) -> None:
    from django.db import connection

    try:
        found.append(run_on_spark("archive", filter=_EVERY, options={"older_than_months": 2, "to": target}))
    finally:
        connection.close()


def _wait_for_messages(watcher: psycopg.Connection, work: threading.Thread) -> int:
    """Return how many messages were done when enough were."""
    query = "SELECT count(*) FROM job_ledger WHERE outcome = 'done'"
    while (done := watcher.execute(query).fetchone()[0]) < _DONE_BEFORE_FAULT and work.is_alive():
        time.sleep(0.05)
    return done
