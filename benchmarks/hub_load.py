"""
Measure the cost of the console's triggers and indexes for a hub: two clients work like its nodes.

Each message is stored, locked and taken (SELECT FOR UPDATE, UPDATE), and finished (UPDATE), in three
transactions, like Hibernate: with every column, whether it changed or not. Clients are processes.
"""

import multiprocessing
import statistics
import time
from collections.abc import Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import psycopg

from benchmarks.databases import fill_template, fresh_copy
from benchmarks.filling import fill_messages
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")

_MESSAGES = 200_000
_CLIENTS = 2
_SECONDS = 5.0
# Until every process has connected, on a busy machine too.
_WARM_UP = 20.0
_OURS = (
    "SELECT indexrelid::regclass::text FROM pg_index"
    " WHERE indrelid = 'message'::regclass"
    "   AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)"
)


class Kept(NamedTuple):
    """The console's triggers and indexes in a run."""

    indexes: bool
    triggers: bool

    def __str__(self) -> str:
        return " and ".join(name for name in self._fields if getattr(self, name)) or "neither"


class Clients(NamedTuple):
    """The result of one run: messages a second, and milliseconds of the statements."""

    rate: float
    median: float
    p95: float


def measure_load(home: Path, *, rounds: int) -> None:
    """Print rates with and without indexes and triggers, with and without commits that wait for the disk."""
    fill_template(home, partial(fill_messages, messages=_MESSAGES))
    print(f"{'commit':>8} {'with':>21} {'messages/s':>10} {'rate':>5} {'p50 ms':>7} {'p95 ms':>7}")
    for commit in ("on", "off"):
        runs_by_variant: dict[Kept, list[Clients]] = {
            Kept(*each): [] for each in product((False, True), repeat=2)
        }
        for _, variant in product(range(rounds), runs_by_variant):
            runs_by_variant[variant].append(_run_clients(home, variant, commit))
        medians = {
            variant: Clients(*map(statistics.median, zip(*runs, strict=True)))
            for variant, runs in runs_by_variant.items()
        }
        bare = medians[Kept(indexes=False, triggers=False)].rate
        for variant, (rate, median, p95) in medians.items():
            print(f"{commit:>8} {variant!s:>21} {rate:>10.0f} {rate / bare:>5.2f} {median:>7.2f} {p95:>7.2f}")


def _run_clients(home: Path, variant: Kept, commit: str) -> Clients:
    address = fresh_copy(home)
    with psycopg.connect(address, autocommit=True) as hub:
        if not variant.triggers:
            hub.execute("ALTER TABLE message DISABLE TRIGGER USER")
        if not variant.indexes:
            for (name,) in hub.execute(_OURS).fetchall():
                hub.execute(f"DROP INDEX {name}")
    return load_hub(address, commit)


def load_hub(
    address: str,
    commit: str,
    *,
    schema: str = "public",
    names: Sequence[tuple[str, str]] = (),
    zone: str = "UTC",
    clients: int = _CLIENTS,
) -> Clients:
    """
    Let the clients work, and return the result.

    Args:
        schema: of the hub's tables.
        names: columns of the statements, each with its name in these tables.
        zone: of the times that the hub writes.
    """
    texts = [statements.read_text(f"hub_load/{name}") for name in ("insert", "lock", "take", "finish")]
    for ours, hubs in names:
        texts = [text.replace(ours, hubs) for text in texts]
    options = f"-c synchronous_commit={commit} -c search_path={schema} -c timezone={zone}"
    start = time.time() + _WARM_UP
    with multiprocessing.get_context("spawn").Pool(clients) as pool:
        took = pool.starmap(
            _run_client, [(address, start, options, texts, client) for client in range(clients)]
        )
    times = sorted(ms for each in took for ms in each)
    return Clients(
        rate=len(times) / 4 / _SECONDS,
        median=statistics.median(times),
        p95=times[int(len(times) * 0.95)],
    )


def _run_client(address: str, start: float, options: str, texts: Sequence[str], client: int) -> list[float]:
    """Process messages until the time is over; return the milliseconds of each statement."""
    took: list[float] = []
    with psycopg.connect(address, autocommit=True, prepare_threshold=1, options=options) as hub:
        if time.time() > start:
            raise RuntimeError("A process was not ready in time.")
        time.sleep(start - time.time())
        number = 0
        while time.time() < start + _SECONDS:
            number += 1
            values = {"correlation_id": f"load-{client}-{number}", "msg_id": None}
            values["msg_id"] = _time_statement(hub, took, texts[0], values)
            with hub.transaction():
                for text in texts[1:3]:
                    _time_statement(hub, took, text, values)
            _time_statement(hub, took, texts[3], values)
    return took


def _time_statement(hub: psycopg.Connection, took: list[float], text: str, values: dict) -> int:
    began = time.perf_counter()
    (msg_id,) = hub.execute(text, values).fetchone()
    took.append((time.perf_counter() - began) * 1000)
    return msg_id
