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
from benchmarks.filling import fill
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


def measure(home: Path, *, rounds: int) -> None:
    """Print rates with and without indexes and triggers, with and without commits that wait for the disk."""
    fill_template(home, partial(fill, messages=_MESSAGES))
    print(f"{'commit':>8} {'with':>21} {'messages/s':>10} {'rate':>5} {'p50 ms':>7} {'p95 ms':>7}")
    for commit in ("on", "off"):
        found: dict[Kept, list[Clients]] = {Kept(*each): [] for each in product((False, True), repeat=2)}
        for _, kept in product(range(rounds), found):
            found[kept].append(_run(home, kept, commit))
        medians = {
            kept: Clients(*map(statistics.median, zip(*runs, strict=True))) for kept, runs in found.items()
        }
        bare = medians[Kept(indexes=False, triggers=False)].rate
        for kept, (rate, median, p95) in medians.items():
            print(f"{commit:>8} {kept!s:>21} {rate:>10.0f} {rate / bare:>5.2f} {median:>7.2f} {p95:>7.2f}")


def _run(home: Path, kept: Kept, commit: str) -> Clients:
    address = fresh_copy(home)
    with psycopg.connect(address, autocommit=True) as hub:
        if not kept.triggers:
            hub.execute("ALTER TABLE message DISABLE TRIGGER USER")
        if not kept.indexes:
            for (name,) in hub.execute(_OURS).fetchall():
                hub.execute(f"DROP INDEX {name}")
    return load(address, commit)


def load(
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
        took = pool.starmap(_work, [(address, start, options, texts, client) for client in range(clients)])
    found = sorted(ms for each in took for ms in each)
    return Clients(
        rate=len(found) / 4 / _SECONDS,
        median=statistics.median(found),
        p95=found[int(len(found) * 0.95)],
    )


def _work(address: str, start: float, options: str, texts: Sequence[str], client: int) -> list[float]:
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
            values["msg_id"] = _timed(hub, took, texts[0], values)
            with hub.transaction():
                for text in texts[1:3]:
                    _timed(hub, took, text, values)
            _timed(hub, took, texts[3], values)
    return took


def _timed(hub: psycopg.Connection, took: list[float], text: str, values: dict) -> int:
    began = time.perf_counter()
    (msg_id,) = hub.execute(text, values).fetchone()
    took.append((time.perf_counter() - began) * 1000)
    return msg_id
