"""
Measure pickups and dispatches, compared with the simplest queue on the same table and with procrastinate.

Each worker is a process with its own connection, and does no other work. The simplest queue is SELECT ... FOR
UPDATE SKIP LOCKED LIMIT 1 of the newest and DELETE in one transaction, only with psycopg: without log,
reservation and coalescing. Procrastinate's workers run its own loop with one job at a time; only
requirements-bench.txt contains it.

The product's workers pause after an empty answer, also after a lost race, like its own client. Over HTTP, the
clients are the product's own, next to the web server on the same machine.
"""

import asyncio
import statistics
import time
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.cp_queue_workers import (
    BATCH,
    QUEUE,
    TAKE,
    Run,
    Work,
    call_pull,
    peer_app,
    pull_many,
    pull_message,
    pull_with_kept_plans,
    run_peer,
    take_bare,
)
from hubconsole.devserver import processes, progress
from messages_app.core.embedded_servers import database_url, find_free_port

SIZES = (1_000, 100_000, 1_000_000)
PARTS = ("waiting", "after", "snapshot", "plans", "batches", "http")
WORKERS = (1, 8, 50)
# Messages processed before the last measurement, in steps of this number.
_THROUGH, _STEP = 1_000_000, 10_000
_BESIDE = 100_000
_CLIENTS = 4
# As long as the time between two checks of a fence: in a shorter run, one would weigh too much.
_SECONDS_OF_SNAPSHOT = 12.0

_FILL = """
INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created)
SELECT upper(replace(gen_random_uuid()::text, '-', '')), %s, (random() * 2000000000)::int, 65536,
       now() - n * interval '1 millisecond'
  FROM generate_series(1, greatest(0, %s - (SELECT count(*) FROM oscpmqueue))) AS n
"""
_FILL_PEER = """
INSERT INTO procrastinate_jobs (queue_name, task_name, args)
SELECT %s, 'nothing', '{}'
  FROM generate_series(1, greatest(0, %s - (SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo')))
"""

_COME = """
INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created)
SELECT upper(replace(gen_random_uuid()::text, '-', '')), %(queue)s, n, 65536, clock_timestamp()
  FROM generate_series(1, %(step)s) AS n
"""
_RESERVE = """
UPDATE oscpmqueue
   SET lock_service = 'W', checkguid = messageguid
 WHERE messageguid IN (SELECT messageguid
                         FROM ONLY oscpmqueue
                        WHERE queuename = %(queue)s
                          AND lock_service IS NULL
                        ORDER BY created DESC, messageguid DESC
                        LIMIT %(step)s)
"""
_SIZE = """
SELECT pg_table_size(relid), pg_indexes_size(relid), n_dead_tup
  FROM pg_stat_user_tables
 WHERE relname = 'oscpmqueue'
"""
_GO = "DELETE FROM oscpmqueue WHERE lock_service = 'W'"


def measure_pickup(
    home: Path, *, sizes: tuple[int, ...], workers: tuple[int, ...], rounds: int, parts: tuple[str, ...]
) -> dict[str, float]:
    """
    Print messages a second and their ratios by queue size and workers, and rows checked for one pickup.

    Returns how many times as fast as its peers the product is, of the parts `waiting` and `batches`.

    Args:
        sizes: messages that wait.
        workers: processes.
        parts: waiting: each of the sizes; after: when a million were processed; snapshot: while a snapshot is
            held that is older than that million; plans: by sessions whose plans are those of an empty queue;
            batches; http.
    """
    address = _prepare_queue(home)
    ratios: dict[str, float] = {}
    works = {take_bare: "bare/s", run_peer: "procrast./s", pull_message: "product/s"}
    if {"waiting", "after", "snapshot"} & set(parts):
        print(f"{'waiting':>12} {'workers':>7} {' '.join(works.values())}  /bare /procr.")
    for size in sizes if "waiting" in parts else ():
        _fill_queue(address, size, vacuum=True)
        for count in workers:
            bare, peer = _print_rates(address, str(size), size, count, rounds, vacuum=True)
            ratios[f"CP queue, {count} workers, the barest queue"] = bare
            ratios[f"CP queue, {count} workers, procrastinate"] = peer
    if "after" in parts:
        _allow_all_requests(address)
        for count in workers:
            _print_rates(address, "after 1M", _BESIDE, count, rounds, vacuum=False)
        _print_rows(address)
    if "snapshot" in parts:
        with psycopg.connect(address) as holder:
            holder.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            # Not of the table, whose lock would keep it from being filled.
            holder.execute("SELECT pg_current_snapshot()")
            _allow_all_requests(address)
            for count in workers:
                _print_rates(
                    address, "snapshot", _BESIDE, count, rounds, vacuum=False, seconds=_SECONDS_OF_SNAPSHOT
                )
    if "plans" in parts:
        _print_plans(address, workers, rounds)
    if "batches" in parts:
        ratios |= _print_batches(address, workers, rounds)
    if "http" in parts:
        _print_http(home, address, rounds)
    return ratios


def _prepare_queue(home: Path) -> str:
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    connection.close()
    address = database_url(home)
    asyncio.run(_apply_schema(address))
    return address


async def _apply_schema(address: str) -> None:
    async with peer_app(address).open_async() as app:
        await app.schema_manager.apply_schema_async()


def _fill_queue(address: str, size: int, *, vacuum: bool) -> None:
    with psycopg.connect(address, autocommit=True) as server:
        server.execute(_FILL, [QUEUE, size])
        server.execute(_FILL_PEER, [QUEUE, size])
        if vacuum:
            server.execute("VACUUM ANALYZE oscpmqueue, procrastinate_jobs, cp_reservation, cp_dispatch")


def _print_rates(
    address: str, name: str, size: int, workers: int, rounds: int, *, vacuum: bool, seconds: float = 3.0
) -> tuple[float, float]:
    """Print the rates, and return the ratios to the barest queue and to procrastinate."""
    rates_by_work: dict[Work, list[float]] = {take_bare: [], run_peer: [], pull_message: []}
    for _ in range(rounds):
        for work, rates in rates_by_work.items():
            _fill_queue(address, size, vacuum=vacuum)
            rates.append(Run(address, workers, size, seconds=seconds).measure_rate(work))
    bare, peer, product = (statistics.median(rates) for rates in rates_by_work.values())
    print(
        f"{name:>12} {workers:>7} {bare:>8.0f} {peer:>11.0f} {product:>9.0f} {product / bare:>6.2f}"
        f" {product / max(peer, 1e-9):>7.1f}",
        flush=True,
    )
    return product / bare, product / max(peer, 1e-9)


def _print_plans(address: str, workers: tuple[int, ...], rounds: int) -> None:
    """Print the rates of sessions that made their plans while the queue was empty, and of new sessions."""
    for count in workers:
        rates: dict[str, list[float]] = {"old": [], "new": []}
        for _ in range(rounds):
            with psycopg.connect(address, autocommit=True) as server:
                server.execute("TRUNCATE oscpmqueue")
                server.execute("VACUUM ANALYZE oscpmqueue")
            run = Run(address, count, _BESIDE)
            rates["old"].append(
                run.measure_rate(
                    pull_with_kept_plans, prepared=lambda: _fill_queue(address, _BESIDE, vacuum=False)
                )
            )
            _fill_queue(address, _BESIDE, vacuum=True)
            rates["new"].append(Run(address, count, _BESIDE).measure_rate(pull_message))
        old, new = (statistics.median(values) for values in rates.values())
        print(
            f"plans of an empty queue, {count} workers: {old:.0f}/s, new plans {new:.0f}/s: {old / new:.2f}"
        )


def _print_batches(address: str, workers: tuple[int, ...], rounds: int) -> dict[str, float]:
    ratios = {}
    for count in workers:
        rates_by_work: dict[Work, list[float]] = {run_peer: [], pull_many: []}
        for _ in range(rounds):
            for work, rates in rates_by_work.items():
                _fill_queue(address, _BESIDE, vacuum=True)
                rates.append(Run(address, count, _BESIDE).measure_rate(work))
        peer, product = (statistics.median(rates) for rates in rates_by_work.values())
        print(
            f"batches of {BATCH}, {count} workers: procrastinate {peer:.0f}/s, product {product:.0f}/s:"
            f" {product / max(peer, 1e-9):.1f}",
            flush=True,
        )
        ratios[f"CP queue in batches, {count} workers, procrastinate"] = product / max(peer, 1e-9)
    return ratios


def _print_http(home: Path, address: str, rounds: int) -> None:
    """Print pickups with their dispatch a second over HTTP, and the times of both for a client of its own."""
    from django.contrib.auth.models import Group, User

    from hubconsole.devserver import programs
    from messages_app.access.token_services import create_token
    from messages_app.audit.services import SYSTEM

    user = User.objects.create(username="bench")
    user.groups.add(Group.objects.get(name="cp_service"))
    _, key = create_token(user=user, name="bench", actor=SYSTEM)
    port = find_free_port()
    unlimited = {"HUBCONSOLE_SERVICE_REQUESTS_PER_MINUTE": "100000000"}
    server = processes.Process(programs.web_program(bind="127.0.0.1", port=port, environment=unlimited), home)
    try:
        progress.wait_ready(server)
        work = partial(call_pull, port, key)
        for clients in (1, _CLIENTS):
            rates = []
            for _ in range(rounds):
                _fill_queue(address, _BESIDE, vacuum=True)
                rates.append(Run(address, clients, _BESIDE).measure_rate(work))
            print(f"HTTP, {clients} clients: {statistics.median(rates):.0f} pickups and dispatches a second")
    finally:
        processes.end_all([server])


def _allow_all_requests(address: str) -> None:
    """
    Create and process a million messages, newest first, next to some that stay; autovacuum stays on.

    Prints the size of the table and the number of dead rows in its statistics.
    """
    with psycopg.connect(address, autocommit=True) as server:
        server.execute("TRUNCATE oscpmqueue")
        _fill_queue(address, _BESIDE, vacuum=True)
        began = time.monotonic()
        for _ in range(_THROUGH // _STEP):
            for statement in (_COME, _RESERVE, _GO):
                server.execute(statement, {"queue": QUEUE, "step": _STEP})
        seconds = time.monotonic() - began
        table, indexes, dead = server.execute(_SIZE).fetchone()
    print(
        f"{_THROUGH} processed in {seconds:.0f} s: table {table / 2**20:.0f} MB,"
        f" indexes {indexes / 2**20:.0f} MB, {dead} dead rows"
    )


def _print_rows(address: str) -> None:
    """Print how many rows one selection of the newest message reads after the run."""
    choice = TAKE.partition("FOR UPDATE")[0]
    with psycopg.connect(address) as server:
        plan = server.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {choice}", [QUEUE]).fetchone()[0]
    root = plan[0]["Plan"]
    pages = root["Shared Hit Blocks"] + root["Shared Read Blocks"]
    print(f"one pickup reads {root['Plans'][0]['Actual Rows']:.0f} rows in {pages} pages")
