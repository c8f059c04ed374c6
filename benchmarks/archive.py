"""
An archive run of the product against the hub's own technique, on the same rows.

Every run gets a fresh copy of one database; the techniques take turns; the ratio of the medians is reported.
The part "families" has families three deep, which a plan must complete; the peers do not know families. With
`--among`, the messages to archive are among that many younger ones.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.among import fill_among
from benchmarks.databases import RUN, fill_template, fresh_copy
from benchmarks.families import fill_families
from benchmarks.phases import Phases, run_on_spark, run_without_spark
from messages_app.core.embedded_servers import DATABASE_NAME, database_url
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")
task_statements = SqlFiles("spark_tasks")


SLICE = 10_000  # the hub's default limit of rows a call (docs/contributing/spec/cleverbus.md, "Archiving")
JOB = {"filter": {}, "options": {"older_than_months": 2}}
TABLES = ("message", "external_call", "request", "response", "funnel")
# Generations of each family, by part.
PARTS = {"single": 1, "families": 3}


def measure(
    home: Path, *, families: int, rounds: int, part: str, full: bool = True, among: int = 0
) -> dict[str, float]:
    """
    Print the times, and return how many times as fast as its peers the product is.

    Args:
        families: messages to archive; with more generations, of a third as many families.
        full: also measure the careful way, and tables that are partitioned by month.
        among: younger messages in the same tables.
    """
    print(f"-- {part} --")
    template = _fill(home, families, PARTS[part], among)
    runs: dict[str, Callable[[str], Phases]] = {
        "peer": partial(_run_peer, script="peer_archive"),
        # A better peer: it stores only ids, and leaves page images uncompressed, like the product.
        "peer by ids": partial(_run_peer, script="peer_archive_by_ids", log_is_plain=True),
        "product": _run_product,
    }
    if part == "single" and not among:
        runs["without Spark"] = _run_without_spark
    if full:
        runs["careful"] = _run_carefully
    if full and not among:
        runs["by month"] = _run_by_month
    seconds: dict[str, list[Phases]] = {name: [] for name in runs}
    moved: dict[str, int] = {}
    _warm_up(home, template)
    before = _archived_rows(home, template)
    for _ in range(rounds):
        for name, run in runs.items():
            seconds[name].append(run(fresh_copy(home, template)))
            moved[name] = _archived_rows(home, RUN) - before
            print(f"({name}: {moved[name]} rows in {seconds[name][-1].total:.1f} s)", flush=True)
    return _print_table(seconds, moved)


def _fill(home: Path, families: int, generations: int, among: int) -> str:
    """Fill a database, and return its name. One with messages to be among is filled once in a kept home."""
    if among:
        return fill_among(home, messages=among, families=families, generations=generations)
    fill_template(home, partial(fill_families, families=families, generations=generations))
    return DATABASE_NAME


def _warm_up(home: Path, template: str) -> None:
    """Run one job that is not counted, because the first job after a start of Spark is slow."""
    fresh_copy(home, template)
    print(f"the first job after a start: {run_on_spark('archive', **JOB).total:.1f} s")


def _run_peer(url: str, *, script: str, log_is_plain: bool = False) -> Phases:
    function = statements.text(script)
    began = time.monotonic()
    with psycopg.connect(url, autocommit=True) as hub:
        if log_is_plain:
            hub.execute("SET wal_compression = off")
        hub.execute(function)
        cutoff = hub.execute("SELECT now() - make_interval(months => 2)").fetchone()[0]
        while hub.execute("SELECT peer_archive(%s, %s)", (cutoff, SLICE)).fetchone()[0]:
            pass
    total = time.monotonic() - began
    return Phases(0.0, total, total)


def _run_product(url: str) -> Phases:
    return run_on_spark("archive", **JOB)


def _run_carefully(url: str) -> Phases:
    """Archive as on an attached hub: with a trigger on deletes, only the careful way is used."""
    with psycopg.connect(url, autocommit=True) as hub:
        hub.execute(
            "CREATE FUNCTION do_nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;"
            " CREATE TRIGGER of_another AFTER DELETE ON funnel EXECUTE FUNCTION do_nothing()"
        )
    return run_on_spark("archive", **JOB)


def _run_by_month(url: str) -> Phases:
    from messages_app.audit.services import SYSTEM
    from messages_app.jobs.archive_months.services import partition_archive

    partition_archive(actor=SYSTEM)
    return run_on_spark("archive", **JOB)


def _run_without_spark(url: str) -> Phases:
    return run_without_spark("archive", plan=_plan_by_hand, **JOB)


def _plan_by_hand(key, job) -> int:
    """Write the plan of a hub whose messages have no relatives and no orphans, as one part."""
    from messages_app.shared.message_states import FINAL_STATES
    from spark_tasks.database import connect_to_database
    from spark_tasks.plans.plans import SINGLE_MESSAGES, write_inside

    values = {
        "start": "-infinity",
        "end": job.cutoff,
        "last_msg_id": job.last_msg_id,
        "final_states": list(FINAL_STATES),
    }
    with connect_to_database(key.dsn) as connection:
        query = task_statements.text("final_messages")
        return write_inside(connection, key, 0, SINGLE_MESSAGES, query, values, size=5_000)


def _archived_rows(home: Path, database: str) -> int:
    with psycopg.connect(database_url(home, database)) as hub:
        return sum(hub.execute(f"SELECT count(*) FROM archive_{table}").fetchone()[0] for table in TABLES)


def _print_table(seconds: dict[str, list[Phases]], moved: dict[str, int]) -> dict[str, float]:
    head = f"{'archive':16} {'rows':>8} {'median s':>9} {'min':>6} {'max':>6} {'rows/s':>8}"
    print(f"{head} {'plan s':>7} {'work s':>7}")
    medians = {}
    for name, found in seconds.items():
        plan, work, total = (statistics.median(column) for column in zip(*found, strict=True))
        medians[name] = total
        least, most = min(each.total for each in found), max(each.total for each in found)
        rate = moved[name] / total
        print(
            f"{name:16} {moved[name]:>8} {total:>9.1f} {least:>6.1f} {most:>6.1f} {rate:>8.0f}"
            f" {plan:>7.1f} {work:>7.1f}"
        )
    print(f"the product takes {medians['product'] / medians['peer']:.2f} of the peer's time")
    print(f"and {medians['product'] / medians['peer by ids']:.2f} of the better peer's time")
    for name, words in (("careful", "the careful way"), ("by month", "with archive tables by month it")):
        if name in medians:
            print(f"{words} takes {medians[name] / medians['peer']:.2f} of the peer's time")
    if "without Spark" in medians:
        spark = medians["product"] - medians["without Spark"]
        print(f"Spark's share of it: {spark:.1f} s, {spark / medians['product']:.0%}")
    return {
        "archive, the hub's technique": medians["peer"] / medians["product"],
        "archive, that technique by ids": medians["peer by ids"] / medians["product"],
    }
