"""
The workers of the CP queue's benchmark: each is a process with its own connection, and does no other work.

Those of the product pause after an empty answer, also after a lost race, like its own client.
"""

import asyncio
import multiprocessing
import statistics
import time
from collections.abc import Callable
from contextlib import suppress

import psycopg

from messages_app.cp_queue.worker.client import Client
from messages_app.cp_queue.worker.loop import MAX_PAUSE, MIN_PAUSE, iterate_pauses

QUEUE = "RENDITION"
BATCH = 100
TAKE = """
SELECT messageguid
  FROM ONLY oscpmqueue
 WHERE queuename = %s
   AND lock_service IS NULL
 ORDER BY created DESC, messageguid DESC
 LIMIT 1
   FOR UPDATE SKIP LOCKED
"""

Work = Callable[["Run", int], None]


class Run:
    """One measurement, shared by its processes: its start, and the number of planned and done messages."""

    def __init__(self, address: str, workers: int, target: int, *, seconds: float = 3.0) -> None:
        self.address = address
        self._seconds = seconds
        self._context = multiprocessing.get_context("fork")
        self._target = target
        self._done = self._context.Value("q", 0)
        self._last = self._context.Value("d", 0.0)
        self._ready = self._context.Barrier(workers + 1)
        self._workers = workers

    def begin(self) -> None:
        """Wait until every process has called this as many times."""
        self._ready.wait(timeout=300)
        self.deadline = time.monotonic() + self._seconds

    @property
    def is_running(self) -> bool:
        return self._done.value < self._target and time.monotonic() < self.deadline

    def note_messages(self, messages: int = 1) -> None:
        with self._done.get_lock():
            self._done.value += messages
            self._last.value = time.monotonic()

    def measure_rate(self, work: Work, *, prepared: Callable[[], None] | None = None) -> float:
        """Return messages a second. With `prepared`, called in between, each process begins twice."""
        processes = [
            self._context.Process(target=work, args=(self, number), daemon=True)
            for number in range(self._workers)
        ]
        for process in processes:
            process.start()
        if prepared:
            self.begin()
            prepared()
        self.begin()
        began = time.monotonic()
        for process in processes:
            process.join(timeout=120)
            process.kill()
        return self._done.value / max(self._last.value - began, 1e-9)


def peer_app(address: str):
    from procrastinate import App, PsycopgConnector

    # One connection, like every worker here: a pool has four, and fifty pools exceed the server's limit.
    return App(connector=PsycopgConnector(conninfo=address, min_size=1, max_size=1))


def take_bare(run: Run, _: int) -> None:
    with psycopg.connect(run.address, prepare_threshold=1) as server:
        run.begin()
        while run.is_running:
            row = server.execute(TAKE, [QUEUE]).fetchone()
            if row is not None:
                server.execute("DELETE FROM oscpmqueue WHERE messageguid = %s", row)
            server.commit()
            if row is not None:
                run.note_messages()


def pull_message(run: Run, number: int) -> None:
    from django.db import connection

    connection.close()
    connection.ensure_connection()
    _pull_on(run, number)


def _pull_on(run: Run, number: int) -> None:
    """Pick up and dispatch on the connection that is open."""
    from messages_app.cp_queue.services.dispatch import dispatch_message
    from messages_app.cp_queue.services.pickup import get_next

    service = f"W{number}"
    run.begin()
    waiting = iterate_pauses(MIN_PAUSE, MAX_PAUSE)
    while run.is_running:
        picked = get_next(queues=QUEUE, service=service)
        if picked is None:
            time.sleep(min(next(waiting), max(0.0, run.deadline - time.monotonic())))
            continue
        dispatch_message(guid=picked.guid, service=service, reason="OK")
        run.note_messages()
        waiting = iterate_pauses(MIN_PAUSE, MAX_PAUSE)


def pull_with_kept_plans(run: Run, number: int) -> None:
    from django.db import connection

    from messages_app.cp_queue.errors import MessageNotFound
    from messages_app.cp_queue.services.dispatch import dispatch_message
    from messages_app.cp_queue.services.pickup import get_next

    connection.close()
    for _ in range(7):
        get_next(queues=QUEUE, service=f"W{number}")
        with suppress(MessageNotFound):
            dispatch_message(guid="0" * 32, service=f"W{number}", reason="OK")
    run.begin()
    _pull_on(run, number)


def pull_many(run: Run, number: int) -> None:
    from django.db import connection

    from messages_app.cp_queue.services.dispatch import Result, dispatch_many
    from messages_app.cp_queue.services.pickup import get_next_many

    connection.close()
    connection.ensure_connection()
    service = f"W{number}"
    run.begin()
    waiting = iterate_pauses(MIN_PAUSE, MAX_PAUSE)
    while run.is_running:
        picked = get_next_many(queues=QUEUE, service=service, count=BATCH)
        if not picked:
            time.sleep(min(next(waiting), max(0.0, run.deadline - time.monotonic())))
            continue
        results = [Result(guid=one.guid, reason="OK") for one in picked]
        dispatch_many(service=service, results=results)
        run.note_messages(len(picked))
        waiting = iterate_pauses(MIN_PAUSE, MAX_PAUSE)


def run_peer(run: Run, number: int) -> None:
    asyncio.run(_run_peer_async(run, number))


async def _run_peer_async(run: Run, number: int) -> None:
    app = peer_app(run.address)

    @app.task(name="nothing", queue=QUEUE)
    async def note_one() -> None:
        run.note_messages()

    async with app.open_async():
        run.begin()
        worker = asyncio.create_task(
            app.run_worker_async(
                queues=[QUEUE],
                name=f"W{number}",
                concurrency=1,
                wait=False,
                listen_notify=False,
                install_signal_handlers=False,
                shutdown_graceful_timeout=5,
            )
        )
        while run.is_running and not worker.done():
            await asyncio.sleep(0.05)
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)


def call_pull(port: int, key: str, run: Run, number: int) -> None:
    client = Client(address=f"http://127.0.0.1:{port}", token=key, service=f"W{number}")
    times: tuple[list[float], list[float]] = ([], [])
    run.begin()
    waiting = iterate_pauses(MIN_PAUSE, MAX_PAUSE)
    while run.is_running:
        began = time.monotonic()
        message = client.get_next(QUEUE)
        if message is None:
            time.sleep(min(next(waiting), max(0.0, run.deadline - time.monotonic())))
            continue
        picked = time.monotonic()
        client.dispatch(message, "OK")
        times[0].append(picked - began)
        times[1].append(time.monotonic() - picked)
        run.note_messages()
        waiting = iterate_pauses(MIN_PAUSE, MAX_PAUSE)
    if number == 0 and all(times):
        pickup, dispatch = (statistics.median(seconds) * 1000 for seconds in times)
        print(f"  at a client: pickup {pickup:.1f} ms, dispatch {dispatch:.1f} ms", flush=True)
