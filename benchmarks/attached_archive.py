"""
An archive job on a hub's own tables, where jobs use the careful way, compared with the hub's own technique on
the same tables, and with the same job on the console's own tables.

Every run gets a fresh copy; the programs take turns. The hub's technique runs twice: with the triggers and
indexes of the console, as for the job, and without a console, with the indexes of archive script 0.6.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.archive import JOB, SLICE
from benchmarks.databases import fill_tables, filled_once, fresh_copy
from benchmarks.families import fill_families, values_of_families
from benchmarks.filling import IDS_PER_MESSAGE, insert_into_hub
from benchmarks.hub_databases import HUBS, ZONE, attach_hub, create_tables, recognized_hub
from benchmarks.jobs import run_job
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")

# Generations of each family, by part.
GENERATIONS = {"archive": 1, "families": 3}
_TABLES = ("message", "external_call", "request", "response")
_OF_ALL_ARCHIVES = " + ".join(f"(SELECT count(*) FROM archive_{table})" for table in _TABLES)


def measure_archive(home: Path, name: str, *, families: int, rounds: int, part: str) -> None:
    """
    Print the seconds of each program, and the ratios of the medians.

    Args:
        families: messages to archive; with more generations, of a third as many families.
    """
    print(f"-- {HUBS[name]}, {part} --")
    generations = GENERATIONS[part]
    bare = f"{name}_{part}_{families}"
    filled_once(home, bare, partial(_fill_hub, name, families, generations))
    attached = f"{bare}_attached"
    filled_once(home, attached, partial(_fill_hub, name, families, generations, is_attached=True))
    own = f"own_{part}_{families}"
    fill = partial(fill_families, families=families, generations=generations)
    filled_once(home, own, partial(fill_tables, fill=fill))
    schema = recognized_schema(home, bare)
    runs: dict[str, tuple[str, Callable[[str], float]]] = {
        "peer": (attached, partial(_run_peer, schema)),
        "peer, no console": (bare, partial(_run_peer, schema, indexes="archive_0_6_indexes")),
        "job": (attached, _run_job),
        "job on own tables": (own, _run_job),
    }
    fresh_copy(home, own)
    print(f"the first job after a start: {run_job('archive', **JOB):.1f} s")
    seconds: dict[str, list[float]] = {program: [] for program in runs}
    rows: dict[str, int] = {}
    for _ in range(rounds):
        for program, (template, run) in runs.items():
            url = fresh_copy(home, template)
            seconds[program].append(run(url))
            rows[program] = _archived_rows(url, "public" if template == own else schema)
    _print_table(seconds, rows)


def recognized_schema(home: Path, template: str) -> str:
    """Return the schema of the hub in a database."""
    fresh_copy(home, template)
    return recognized_hub().schema


def _fill_hub(name: str, families: int, generations: int, url: str, *, is_attached: bool = False) -> None:
    values = values_of_families(families=families, generations=generations)
    with psycopg.connect(url, autocommit=True) as hub:
        create_tables(hub, HUBS[name])
        layout = recognized_hub()
        insert_into_hub(hub.cursor(), layout, "families", values, zone=ZONE)
        last_id = families * 2 * IDS_PER_MESSAGE
        hub.execute(f"SELECT setval('{layout.schema}.{layout.family.sequence}', {last_id})")
        if is_attached:
            attach_hub("--create-triggers", "--create-indexes")
        hub.execute("VACUUM ANALYZE")
        hub.execute("CHECKPOINT")


def _run_job(url: str) -> float:
    return run_job("archive", **JOB)


def _run_peer(schema: str, url: str, *, indexes: str | None = None) -> float:
    """Run the hub's technique. The indexes of a script are created before the clock starts."""
    from tests.support.hubs import statements as of_hubs

    with psycopg.connect(url, autocommit=True, options=f"-c search_path={schema}") as hub:
        if indexes:
            hub.execute(of_hubs.read_text(indexes))
            hub.execute("ANALYZE")
            hub.execute("CHECKPOINT")
        began = time.monotonic()
        hub.execute(statements.read_text("peer_archive_on_hub"))
        cutoff = hub.execute("SELECT timezone(%s, now() - make_interval(months => 2))", [ZONE]).fetchone()[0]
        while hub.execute("SELECT peer_archive(%s, %s)", (cutoff, SLICE)).fetchone()[0]:
            pass
        return time.monotonic() - began


def _archived_rows(url: str, schema: str) -> int:
    with psycopg.connect(url, options=f"-c search_path={schema}") as hub:
        return hub.execute(f"SELECT {_OF_ALL_ARCHIVES}").fetchone()[0]


def _print_table(seconds: dict[str, list[float]], rows: dict[str, int]) -> None:
    print(f"{'':18} {'rows':>8} {'median s':>9} {'min':>6} {'max':>6}")
    medians = {program: statistics.median(times) for program, times in seconds.items()}
    for program, times in seconds.items():
        row = f"{program:18} {rows[program]:>8} {medians[program]:>9.1f}"
        print(f"{row} {min(times):>6.1f} {max(times):>6.1f}")
    for other in ("peer", "peer, no console", "job on own tables"):
        print(f"the job takes {medians['job'] / medians[other]:.2f} of the time of the {other}")
