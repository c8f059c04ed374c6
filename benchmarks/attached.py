"""
Measure what attaching costs a hub, and archive jobs on its tables compared with its own technique.

The databases stay in a kept home (`--home`): an interrupted run continues, and each part can run alone.
"""

import statistics
from functools import partial
from itertools import product
from pathlib import Path

import psycopg

from benchmarks import attached_archive
from benchmarks.databases import fresh_copy
from benchmarks.hub_databases import HUBS, ZONE, attach_hub, fill_messages, hub_database, recognized_hub
from benchmarks.hub_load import Clients, load_hub

PARTS = ("load", *attached_archive.GENERATIONS)
_LOADED = 200_000
_NAMES = (("service_name", "service"), ("last_process_timestamp", "last_update_timestamp"))


def measure_load(
    home: Path,
    *,
    hubs: tuple[str, ...],
    parts: tuple[str, ...],
    rounds: int,
    families: int,
) -> None:
    for name in hubs:
        if "load" in parts:
            _measure_clients(home, name, rounds)
        for part in (part for part in parts if part in attached_archive.GENERATIONS):
            attached_archive.measure_archive(home, name, families=families, rounds=rounds, part=part)


def _measure_clients(home: Path, name: str, rounds: int) -> None:
    """Print the rates of the hub's own cycle before it is attached, and after."""
    steps: dict[str, tuple[str, ...] | None] = {
        "not attached": None,
        "triggers": ("--create-triggers",),
        "triggers and indexes": ("--create-triggers", "--create-indexes"),
    }
    template = f"{name}_load"
    with hub_database(home, template, HUBS[name], partial(fill_messages, home, messages=_LOADED)):
        pass
    print(
        f"{'hub':>10} {'commit':>6} {'clients':>7} {'with':>21} {'messages/s':>10} {'rate':>5} {'p50 ms':>7}"
        f" {'p95 ms':>7}"
    )
    for commit, clients in product(("on", "off"), (1, 2)):
        runs_by_step: dict[str, list[Clients]] = {step: [] for step in steps}
        for _ in range(rounds):
            for step, options in steps.items():
                runs_by_step[step].append(_load_copy(home, template, options, commit, clients))
        bare = statistics.median(run.rate for run in runs_by_step["not attached"])
        for step, runs in runs_by_step.items():
            rate, median, p95 = map(statistics.median, zip(*runs, strict=True))
            row = f"{name:>10} {commit:>6} {clients:>7} {step:>21} {rate:>10.0f} {rate / bare:>5.2f}"
            print(f"{row} {median:>7.2f} {p95:>7.2f}", flush=True)


def _load_copy(
    home: Path, template: str, options: tuple[str, ...] | None, commit: str, clients: int
) -> Clients:
    url = fresh_copy(home, template)
    hub = recognized_hub()
    with psycopg.connect(url, autocommit=True) as session:
        # The hub's own program takes the id from the sequence.
        session.execute(
            f"ALTER TABLE {hub.schema}.message"
            f" ALTER msg_id SET DEFAULT nextval('{hub.schema}.{hub.family.sequence}')"
        )
    if options is not None:
        attach_hub(*options)
    with psycopg.connect(url, autocommit=True) as session:
        session.execute("CHECKPOINT")
    return load_hub(url, commit, schema=hub.schema, names=_NAMES, zone=ZONE, clients=clients)
