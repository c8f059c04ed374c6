"""
Measure a check and its completion, compared with the two bare inserts that they need, on 8 connections.

Each connection is a separate process, like the hub's nodes. The bare inserts are ON CONFLICT DO NOTHING into
the same table, with its indexes but without its triggers, prepared, only with psycopg. Batches
are compared with single calls.
"""

import multiprocessing
import statistics
import time
import uuid
from functools import partial
from itertools import islice
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import NamedTuple

import psycopg

from benchmarks.databases import fill_template, fresh_copy
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")
_barrier: Barrier

SIZES = (10_000, 10_000_000)
_CONNECTIONS = 8
_SECONDS = 5.0
_TRIGGERS = 4
_BATCH = 500

_INSERT = """
INSERT INTO document_history (trigger_id, document_uuid, status, time)
VALUES (%s, %s, %s, clock_timestamp())
ON CONFLICT DO NOTHING
"""


class Round(NamedTuple):
    """Documents a second, of one run of each."""

    bare: float
    product: float
    batches: float


def measure_history(home: Path, *, sizes: tuple[int, ...], rounds: int) -> dict[str, float]:
    """
    Print the rates and their ratio by table size, and the slowest check during a sweep.

    Returns how many times as fast as its peers the product is, with the last size.

    Args:
        sizes: rows stored, two for a document.
    """
    print(f"{'rows':>10} {'bare inserts/s':>15} {'check+complete/s':>17} {'ratio':>6}", end="")
    print(f" {'in batches/s':>13} {'to single':>9}")
    for size in sizes:
        address = _fill_size(home, size)
        results = [_run_round(address) for _ in range(rounds)]
        bare, product, batches = (statistics.median(column) for column in zip(*results, strict=True))
        print(f"{size:>10} {bare:>15.0f} {product:>17.0f} {product / bare:>6.2f}", end="")
        print(f" {batches:>13.0f} {batches / product:>9.1f}")
    removed, seconds, slowest = _measure_sweep(address)
    print(f"sweep: {removed} rows in {seconds:.0f} s; the slowest concurrent check took {slowest:.0f} ms")
    return {
        "check and complete, bare inserts": product / bare,
        "check-many, single checks": batches / product,
    }


def _fill_size(home: Path, size: int) -> str:
    from django.db import connection

    from messages_app.core.embedded_servers import DATABASE_NAME

    connection.close()
    connection.settings_dict["NAME"] = DATABASE_NAME
    fill_template(home, partial(_fill_history, size=size))
    return fresh_copy(home)


def _fill_history(hub: psycopg.Cursor, *, size: int) -> None:
    hub.execute("TRUNCATE document_history, document_open, document_trigger")
    for number in range(_TRIGGERS):
        hub.execute(
            "INSERT INTO document_trigger (trigger_id, name, detect_duplicates, use_history,"
            " history_ttl_seconds, resolver, on_retry_failure, suspended_because)"
            " VALUES (%s, 'bench', true, true, 172800, '', 'throw_exception', '')",
            [f"trigger-{number}"],
        )
    hub.execute("ALTER TABLE document_history DISABLE TRIGGER USER")
    filling = statements.read_text("filling/document_history")
    hub.execute(filling, {"documents": size // 2})
    hub.execute("ALTER TABLE document_history ENABLE TRIGGER USER")


def _run_round(address: str) -> Round:
    with psycopg.connect(address, autocommit=True) as hub:
        hub.execute("ALTER TABLE document_history DISABLE TRIGGER USER")
        bare = _measure_rate(_insert_bare, address)
        hub.execute("ALTER TABLE document_history ENABLE TRIGGER USER")
    product = _measure_rate(_check_and_complete, address)
    return Round(bare=bare, product=product, batches=_measure_rate(_check_and_complete_batches, address))


def _measure_rate(work, address: str) -> float:
    """Return documents a second over all connections."""
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(_CONNECTIONS)
    with spawn.Pool(_CONNECTIONS, initializer=_keep_barrier, initargs=(barrier,)) as pool:
        done = pool.map(work, [address] * _CONNECTIONS, chunksize=1)
    return sum(done) / _SECONDS


def _keep_barrier(barrier: Barrier) -> None:
    """Keep what every process waits at until all have connected."""
    global _barrier
    _barrier = barrier


def _wait_for_all() -> float:
    """Return the end of the time, which begins when all processes have connected."""
    _barrier.wait()
    return time.time() + _SECONDS


def _iterate_documents(end: float):
    """Yield (trigger, uuid) of new documents until the time is over."""
    while time.time() < end:
        document = str(uuid.uuid4())
        yield f"trigger-{int(document[0], 16) % _TRIGGERS}", document


def _insert_bare(address: str) -> int:
    done = 0
    with psycopg.connect(address, autocommit=True, prepare_threshold=1) as hub:
        for trigger_id, document in _iterate_documents(_wait_for_all()):
            for status in ("processing", "completed"):
                hub.execute(_INSERT, [trigger_id, document, status])
            done += 1
    return done


def _connect_process(address: str) -> None:
    """Connect Django to the database of the run."""
    import django

    django.setup()
    from django.db import connection

    connection.settings_dict["NAME"] = address.rpartition("/")[2].partition("?")[0]
    connection.ensure_connection()


def _check_and_complete(address: str) -> int:
    _connect_process(address)
    from messages_app.document_history.services.check import check_document
    from messages_app.document_history.services.complete import complete_document

    done = 0
    for trigger_id, document in _iterate_documents(_wait_for_all()):
        token = check_document(trigger_id=trigger_id, uuid=document).token
        complete_document(trigger_id=trigger_id, uuid=document, token=token)
        done += 1
    return done


def _check_and_complete_batches(address: str) -> int:
    _connect_process(address)
    from messages_app.document_history.services.check import check_many
    from messages_app.document_history.services.complete import complete_many
    from messages_app.document_history.services.delivery import Delivered

    end, done = _wait_for_all(), 0
    documents = _iterate_documents(end)
    while batch := [{"trigger_id": one, "uuid": document} for one, document in islice(documents, _BATCH)]:
        checked = check_many([Delivered(**one) for one in batch])
        completions = [one | {"token": answer.token} for one, answer in zip(batch, checked, strict=True)]
        complete_many(completions)
        done += len(batch) if time.time() < end else 0
    return done


def _measure_sweep(address: str) -> tuple[int, float, float]:
    """Sweep half of the history while checks continue; return rows, seconds, and the slowest check in ms."""
    import threading

    from django.db import connection

    from messages_app.document_history.services.check import check_document
    from messages_app.document_history.services.sweep import sweep_entries

    with psycopg.connect(address, autocommit=True) as hub:
        hub.execute("UPDATE document_trigger SET history_ttl_seconds = 72000")
    removed: list[int] = []
    began = time.monotonic()

    def sweep() -> None:
        removed.append(sweep_entries(seconds=60).removed)
        connection.close()

    sweeping = threading.Thread(target=sweep)
    sweeping.start()
    slowest = 0.0
    while sweeping.is_alive():
        before = time.monotonic()
        check_document(trigger_id="trigger-3", uuid=str(uuid.uuid4()))
        slowest = max(slowest, time.monotonic() - before)
    sweeping.join()
    return removed[0], time.monotonic() - began, slowest * 1000
