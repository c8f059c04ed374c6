"""
Measure pickups and dispatches, compared with the simplest queue on the same table and with procrastinate.

Each worker is a process with its own connection, and does no other work. The simplest queue is SELECT ... FOR
UPDATE SKIP LOCKED LIMIT 1 of the newest and DELETE in one transaction, only with psycopg: without log,
reservation and coalescing. Procrastinate's workers run its own loop with one job at a time; only
requirements-bench.txt contains it.

The product's workers pause after an empty answer, also after a lost race, like its own client.
"""

import asyncio
import multiprocessing
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import psycopg

from hubconsole import embedded
from messages_app.cp_queue.worker.loop import LONGEST, SHORTEST, pauses

SIZES = (1_000, 100_000, 1_000_000)
PARTS = ("waiting", "after")
WORKERS = (1, 8, 50)
_SECONDS = 3.0
_QUEUE = "RENDITION"
# Messages processed before the last measurement, in steps of this number.
_THROUGH, _STEP = 1_000_000, 10_000
_BESIDE = 100_000

_TAKE = """
SELECT messageguid
  FROM ONLY oscpmqueue
 WHERE queuename = %s
   AND lock_service IS NULL
 ORDER BY created DESC, messageguid DESC
 LIMIT 1
   FOR UPDATE SKIP LOCKED
"""
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

Work = Callable[["Run", int], None]


class Run:
    """One measurement, shared by its processes: its start, and the number of planned and done messages."""

    def __init__(self, address: str, workers: int, target: int) -> None:
        self.address = address
        self._context = multiprocessing.get_context("fork")
        self._target = target
        self._done = self._context.Value("q", 0)
        self._last = self._context.Value("d", 0.0)
        self._ready = self._context.Barrier(workers + 1)
        self._workers = workers

    def begin(self) -> None:
        """Wait until every process is ready."""
        self._ready.wait(timeout=300)
        self.deadline = time.monotonic() + _SECONDS

    @property
    def goes_on(self) -> bool:
        return self._done.value < self._target and time.monotonic() < self.deadline

    def note(self) -> None:
        with self._done.get_lock():
            self._done.value += 1
            self._last.value = time.monotonic()

    def rate(self, work: Work) -> float:
        """Return messages a second."""
        processes = [
            self._context.Process(target=work, args=(self, number), daemon=True)
            for number in range(self._workers)
        ]
        for process in processes:
            process.start()
        self.begin()
        began = time.monotonic()
        for process in processes:
            process.join(timeout=120)
            process.kill()
        return self._done.value / max(self._last.value - began, 1e-9)


def measure(
    home: Path, *, sizes: tuple[int, ...], workers: tuple[int, ...], rounds: int, parts: tuple[str, ...]
) -> None:
    """
    Print messages a second and their ratios by queue size and workers, and rows checked for one pickup.

    Args:
        sizes: messages that wait.
        workers: processes.
        parts: waiting: each of the sizes; after: when a million were processed.
    """
    address = _prepare(home)
    print(f"{'waiting':>12} {'workers':>7} {'bare/s':>8} {'procrast./s':>11} {'product/s':>9}", end="")
    print(f" {'/bare':>6} {'/procr.':>7}")
    for size in sizes if "waiting" in parts else ():
        _fill(address, size, vacuum=True)
        for count in workers:
            _print(address, str(size), size, count, rounds, vacuum=True)
    if "after" not in parts:
        return
    _let_through(address)
    for count in workers:
        _print(address, "after 1M", _BESIDE, count, rounds, vacuum=False)
    _print_rows(address)


def _prepare(home: Path) -> str:
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    connection.close()
    address = embedded.postgres.url(home)
    asyncio.run(_apply_schema(address))
    return address


async def _apply_schema(address: str) -> None:
    async with _app(address).open_async() as app:
        await app.schema_manager.apply_schema_async()


def _app(address: str):
    from procrastinate import App, PsycopgConnector

    # One connection, like every worker here: a pool has four, and fifty pools exceed the server's limit.
    return App(connector=PsycopgConnector(conninfo=address, min_size=1, max_size=1))


def _fill(address: str, size: int, *, vacuum: bool) -> None:
    with psycopg.connect(address, autocommit=True) as server:
        server.execute(_FILL, [_QUEUE, size])
        server.execute(_FILL_PEER, [_QUEUE, size])
        if vacuum:
            server.execute("VACUUM ANALYZE oscpmqueue, procrastinate_jobs, cp_reservation, cp_dispatch")


def _print(address: str, name: str, size: int, workers: int, rounds: int, *, vacuum: bool) -> None:
    found: dict[Work, list[float]] = {_take_bare: [], _run_peer: [], _pull: []}
    for _ in range(rounds):
        for work, rates in found.items():
            _fill(address, size, vacuum=vacuum)
            rates.append(Run(address, workers, size).rate(work))
    bare, peer, product = (statistics.median(rates) for rates in found.values())
    print(
        f"{name:>12} {workers:>7} {bare:>8.0f} {peer:>11.0f} {product:>9.0f} {product / bare:>6.2f}"
        f" {product / max(peer, 1e-9):>7.1f}",
        flush=True,
    )


def _take_bare(run: Run, _: int) -> None:
    with psycopg.connect(run.address, prepare_threshold=1) as server:
        run.begin()
        while run.goes_on:
            row = server.execute(_TAKE, [_QUEUE]).fetchone()
            if row is not None:
                server.execute("DELETE FROM oscpmqueue WHERE messageguid = %s", row)
            server.commit()
            if row is not None:
                run.note()


def _pull(run: Run, number: int) -> None:
    from django.db import connection

    from messages_app.cp_queue import services

    connection.close()
    connection.ensure_connection()
    service = f"W{number}"
    run.begin()
    waiting = pauses(SHORTEST, LONGEST)
    while run.goes_on:
        picked = services.get_next(queues=_QUEUE, service=service)
        if picked is None:
            time.sleep(min(next(waiting), max(0.0, run.deadline - time.monotonic())))
            continue
        services.dispatch(guid=picked.guid, service=service, reason="OK")
        run.note()
        waiting = pauses(SHORTEST, LONGEST)


def _run_peer(run: Run, number: int) -> None:
    asyncio.run(_run_peer_async(run, number))


async def _run_peer_async(run: Run, number: int) -> None:
    app = _app(run.address)

    @app.task(name="nothing", queue=_QUEUE)
    async def nothing() -> None:
        run.note()

    async with app.open_async():
        run.begin()
        worker = asyncio.create_task(
            app.run_worker_async(
                queues=[_QUEUE],
                name=f"W{number}",
                concurrency=1,
                wait=False,
                listen_notify=False,
                install_signal_handlers=False,
                shutdown_graceful_timeout=5,
            )
        )
        while run.goes_on and not worker.done():
            await asyncio.sleep(0.05)
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)


def _let_through(address: str) -> None:
    """
    Create and process a million messages, newest first, next to some that stay; autovacuum stays on.

    Prints the size of the table and the number of dead rows in its statistics.
    """
    with psycopg.connect(address, autocommit=True) as server:
        server.execute("TRUNCATE oscpmqueue")
        _fill(address, _BESIDE, vacuum=True)
        began = time.monotonic()
        for _ in range(_THROUGH // _STEP):
            for statement in (_COME, _RESERVE, _GO):
                server.execute(statement, {"queue": _QUEUE, "step": _STEP})
        seconds = time.monotonic() - began
        table, indexes, dead = server.execute(_SIZE).fetchone()
    print(
        f"{_THROUGH} processed in {seconds:.0f} s: table {table / 2**20:.0f} MB,"
        f" indexes {indexes / 2**20:.0f} MB, {dead} dead rows"
    )


def _print_rows(address: str) -> None:
    """Print how many rows one selection of the newest message reads after the run."""
    choice = _TAKE.partition("FOR UPDATE")[0]
    with psycopg.connect(address) as server:
        plan = server.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {choice}", [_QUEUE]).fetchone()[0]
    root = plan[0]["Plan"]
    pages = root["Shared Hit Blocks"] + root["Shared Read Blocks"]
    print(f"one pickup reads {root['Plans'][0]['Actual Rows']:.0f} rows in {pages} pages")
