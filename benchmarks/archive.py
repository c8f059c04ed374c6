"""
An archive run of the product against the hub's own technique, on the same rows.

Every run gets a fresh copy of one database; the techniques take turns; the ratio of the medians is reported.
The part "families" has families three deep, which a plan must complete; the peers do not know families.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.databases import RUN, fill_template, fresh_copy
from benchmarks.families import fill_families
from benchmarks.jobs import run_job
from messages_app.core.embedded_servers import DATABASE_NAME, database_url
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")


SLICE = 10_000  # the hub's default limit of rows a call (docs/contributing/spec/cleverbus.md, "Archiving")
JOB = {"filter": {}, "options": {"older_than_months": 2}}
TABLES = ("message", "external_call", "request", "response", "funnel")
# Generations of each family, by part.
PARTS = {"single": 1, "families": 3}


def measure_archive(
    home: Path, *, families: int, rounds: int, part: str, full: bool = True
) -> dict[str, float]:
    """
    Print the times, and return how many times as fast as its peers the product is.

    Args:
        families: messages to archive; with more generations, of a third as many families.
        full: also measure the careful way, and tables that are partitioned by month.
    """
    print(f"-- {part} --")
    fill_template(home, partial(fill_families, families=families, generations=PARTS[part]))
    runs: dict[str, Callable[[str], float]] = {
        "peer": partial(_run_peer, script="peer_archive"),
        # A better peer: it stores only ids, and leaves page images uncompressed, like the product.
        "peer by ids": partial(_run_peer, script="peer_archive_by_ids", log_is_plain=True),
        "product": _run_product,
    }
    if full:
        runs |= {"careful": _run_carefully, "by month": _run_by_month}
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    moved: dict[str, int] = {}
    # The first job after a start of Spark is slow.
    fresh_copy(home)
    print(f"the first job after a start: {run_job('archive', **JOB):.1f} s")
    before = _archived_rows(home, DATABASE_NAME)
    for _ in range(rounds):
        for name, run in runs.items():
            seconds[name].append(run(fresh_copy(home)))
            moved[name] = _archived_rows(home, RUN) - before
            print(f"({name}: {moved[name]} rows in {seconds[name][-1]:.1f} s)", flush=True)
    return _print_table(seconds, moved)


def _run_peer(url: str, *, script: str, log_is_plain: bool = False) -> float:
    function = statements.read_text(script)
    began = time.monotonic()
    with psycopg.connect(url, autocommit=True) as hub:
        if log_is_plain:
            hub.execute("SET wal_compression = off")
        hub.execute(function)
        cutoff = hub.execute("SELECT now() - make_interval(months => 2)").fetchone()[0]
        while hub.execute("SELECT peer_archive(%s, %s)", (cutoff, SLICE)).fetchone()[0]:
            pass
    return time.monotonic() - began


def _run_product(url: str) -> float:
    return run_job("archive", **JOB)


def _run_carefully(url: str) -> float:
    """Archive as on an attached hub: with a trigger on deletes, only the careful way is used."""
    with psycopg.connect(url, autocommit=True) as hub:
        hub.execute(
            "CREATE FUNCTION do_nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;"
            " CREATE TRIGGER of_another AFTER DELETE ON funnel EXECUTE FUNCTION do_nothing()"
        )
    return run_job("archive", **JOB)


def _run_by_month(url: str) -> float:
    from messages_app.audit.services import SYSTEM
    from messages_app.jobs.archive_months.services import partition_archive

    partition_archive(actor=SYSTEM)
    return run_job("archive", **JOB)


def _archived_rows(home: Path, database: str) -> int:
    with psycopg.connect(database_url(home, database)) as hub:
        return sum(hub.execute(f"SELECT count(*) FROM archive_{table}").fetchone()[0] for table in TABLES)


def _print_table(seconds: dict[str, list[float]], moved: dict[str, int]) -> dict[str, float]:
    print(f"{'archive':16} {'rows':>8} {'median s':>9} {'min':>6} {'max':>6} {'rows/s':>8}")
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    for name, times in seconds.items():
        print(
            f"{name:16} {moved[name]:>8} {medians[name]:>9.1f} {min(times):>6.1f} {max(times):>6.1f}"
            f" {moved[name] / medians[name]:>8.0f}"
        )
    print(f"the product takes {medians['product'] / medians['peer']:.2f} of the peer's time")
    print(f"and {medians['product'] / medians['peer by ids']:.2f} of the better peer's time")
    for name, words in (("careful", "the careful way"), ("by month", "with archive tables by month it")):
        if name in medians:
            print(f"{words} takes {medians[name] / medians['peer']:.2f} of the peer's time")
    return {
        "archive, the hub's technique": medians["peer"] / medians["product"],
        "archive, that technique by ids": medians["peer by ids"] / medians["product"],
    }
