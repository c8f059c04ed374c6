"""
An archive run of the product against the hub's own technique, on the same rows.

Every run gets a fresh copy of one demo database; the two take turns; the ratio of the medians is the claim.
"""

import statistics
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import psycopg

from hubconsole import embedded

_SLICE = 10_000  # the hub's default limit of rows a call (spec/cleverbus.md 8.3)
_MONTHS = 2
TABLES = ("message", "external_call", "request", "response", "funnel")


def measure(home: Path, *, messages: int, rounds: int) -> None:
    _fill(messages)
    runs: dict[str, Callable[[Path], None]] = {"peer": _run_peer, "product": _run_product}
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    moved: dict[str, int] = {}
    for _ in range(rounds):
        for name, run in runs.items():
            _copy_database(home)
            began = time.monotonic()
            run(home)
            seconds[name].append(time.monotonic() - began)
            moved[name] = _moved_rows(home)
    _print_table(seconds, moved)


def _fill(messages: int) -> None:
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    call_command("demo", messages=messages)
    connection.close()


def _copy_database(home: Path) -> None:
    """Make a fresh copy of the demo under the name `bench`, and have Django use it."""
    from django.db import connection

    connection.close()
    with psycopg.connect(embedded.postgres.url(home, "postgres"), autocommit=True) as server:
        server.execute("DROP DATABASE IF EXISTS bench WITH (FORCE)")
        server.execute(f"CREATE DATABASE bench TEMPLATE {embedded.postgres.DATABASE}")
        server.execute("CHECKPOINT")
    connection.settings_dict["NAME"] = "bench"


def _run_peer(home: Path) -> None:
    function = resources.files("benchmarks").joinpath("sql/peer_archive.sql").read_text()
    with psycopg.connect(embedded.postgres.url(home, "bench"), autocommit=True) as hub:
        hub.execute(function)
        cutoff = hub.execute("SELECT now() - make_interval(months => %s)", (_MONTHS,)).fetchone()[0]
        while hub.execute("SELECT peer_archive(%s, %s)", (cutoff, _SLICE)).fetchone()[0]:
            pass


def _run_product(home: Path) -> None:
    """Run a whole job: its plan, the ledger and the audit are part of the time."""
    from messages_app.audit.services import SYSTEM
    from messages_app.jobs import runner
    from messages_app.jobs.services import create_job

    options = {"older_than_months": _MONTHS}
    job = create_job(
        kind="archive", filter={}, options=options, dry_run=False, reason="benchmark", actor=SYSTEM, user=None
    )
    runner.run_job(job_id=job.pk)
    job.refresh_from_db()
    if job.state != "done":
        raise SystemExit(f"The archive job ended as {job.state}: {job.error}")


def _moved_rows(home: Path) -> int:
    with psycopg.connect(embedded.postgres.url(home, "bench")) as hub:
        return sum(hub.execute(f"SELECT count(*) FROM archive_{table}").fetchone()[0] for table in TABLES)


def _print_table(seconds: dict[str, list[float]], moved: dict[str, int]) -> None:
    medians = {name: statistics.median(found) for name, found in seconds.items()}
    rates = {name: moved[name] / medians[name] for name in medians}
    print(f"{'':10} {'rows':>10} {'median s':>10} {'min s':>8} {'max s':>8} {'rows/s':>10}")
    for name, found in seconds.items():
        print(
            f"{name:10} {moved[name]:>10} {medians[name]:>10.1f} {min(found):>8.1f} {max(found):>8.1f}"
            f" {rates[name]:>10.0f}"
        )
    print(f"archive, product against the hub's own technique: {rates['product'] / rates['peer']:.2f} times")
