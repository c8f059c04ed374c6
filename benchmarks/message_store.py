"""
Measure the rate of the message store, compared with bare inserts, and the monitor's selection of messages.

The bare inserts are those of a message's rows, one transaction for each message, only with psycopg and
without the console's triggers: into message_store and message_process, of its record, and of its history.
The product stores the messages, in transactions like the loader's, and then processes them.
Both sides have two processes. The selection queues ten messages of a table in which a tenth waits.
"""

import json
import multiprocessing
import statistics
import time
import uuid
from functools import partial
from pathlib import Path
from typing import NamedTuple

import psycopg

from benchmarks.databases import fill_template, fresh_copy
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")

SIZES = (10_000_000,)
PARTS = ("rate", "pick")
_MESSAGES = 6_000
_WORKERS = 2
_STORED_TOGETHER = 200
_PICKS = 50
_TABLES = ("message_store", "message_process", "message_history", "message_line")

_BARE = (
    "INSERT INTO message_store (message_identifier, source_system, source_entity, message_timestamp,"
    " effective_timestamp, data) VALUES (%(id)s, 'crm', 'customer', now(), now(), %(data)s)",
    "INSERT INTO message_process (message_identifier, status, processed_timestamp)"
    " VALUES (%(id)s, 10, now())",
    "INSERT INTO target_record (entity, record_key, valid_from, data, source_message, message_timestamp)"
    " VALUES ('customer', %(id)s, now(), %(record)s, %(id)s, now())",
    "INSERT INTO message_history (message_identifier, processed_timestamp, status, log_text)"
    " VALUES (%(id)s, now(), 10, '1 records read.')",
)


class Round(NamedTuple):
    """Messages a second: inserted, and by the product stored, processed, and both one after the other."""

    bare: float
    stored: float
    processed: float
    product: float
    ratio: float


def measure_store(
    home: Path, *, sizes: tuple[int, ...], rounds: int, parts: tuple[str, ...]
) -> dict[str, float]:
    """
    Print the rates and their ratio, and the time to select messages for each table size.

    Returns how many times as fast as the bare inserts the product is, of the part `rate`.

    Args:
        parts: rate: messages a second; pick: the monitor's, of the sizes.
    """
    ratios: dict[str, float] = {}
    if "rate" in parts:
        ratios["message store, bare inserts"] = _print_rates(_make_database(home, 0), rounds)
    for size in sizes if "pick" in parts else ():
        began = time.monotonic()
        _make_database(home, size)
        filled = time.monotonic() - began
        median, slowest = _measure_picks()
        print(f"pick of ten from {size} messages: {median:.1f} ms, the slowest {slowest:.1f} ms", end="")
        print(f" (filled in {filled:.0f} s)", flush=True)
    return ratios


def _print_rates(address: str, rounds: int) -> float:
    print(
        f"{'round':>6} {'bare inserts/s':>15} {'stored/s':>9} {'processed/s':>12} {'both/s':>7} {'ratio':>6}"
    )
    measured = []
    for number in range(1, rounds + 1):
        measured.append(_run_round(address))
        _print_line(number, measured[-1])
    median = Round(*map(statistics.median, zip(*measured, strict=True)))
    _print_line("median", median)
    return median.ratio


def _print_line(name: object, one: Round) -> None:
    print(f"{name:>6} {one.bare:>15.0f} {one.stored:>9.0f} {one.processed:>12.0f}", end="")
    print(f" {one.product:>7.0f} {one.ratio:>6.2f}", flush=True)


def _make_database(home: Path, size: int) -> str:
    from django.db import connection

    from messages_app.core.embedded_servers import DATABASE_NAME

    connection.close()
    connection.settings_dict["NAME"] = DATABASE_NAME
    fill_template(home, partial(_fill_store, size=size))
    return fresh_copy(home)


def _fill_store(hub: psycopg.Cursor, *, size: int) -> None:
    hub.execute(f"TRUNCATE {', '.join(_TABLES)}, message_count, message_count_change, target_record")
    for table in _TABLES:
        hub.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    if size:
        filling = statements.read_text("filling/message_store")
        for statement in filling.split(";"):
            hub.execute(statement, {"messages": size})
    for table in _TABLES:
        hub.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")


def _run_round(address: str) -> Round:
    with psycopg.connect(address, autocommit=True) as hub:
        _define_source()
        for table in _TABLES:
            hub.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        bare = _measure_rate(_insert_bare, address)
        hub.execute(f"TRUNCATE {', '.join(_TABLES)}, target_record")
        for table in _TABLES:
            hub.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
        stored = _measure_rate(_make_store_work, address)
        hub.execute("ANALYZE")
        processed = _measure_rate(_make_process_work, address)
        done = hub.execute("SELECT count(*) FROM message_process WHERE status = 10")
        if done.fetchone()[0] != _MESSAGES:
            raise SystemExit("Some messages were not processed.")
        hub.execute(f"TRUNCATE {', '.join(_TABLES)}, target_record")
    product = 1 / (1 / stored + 1 / processed)
    return Round(bare=bare, stored=stored, processed=processed, product=product, ratio=product / bare)


def _define_source() -> None:
    from messages_app.audit.services import SYSTEM
    from messages_app.message_store.services.definitions import Definition, store_definition

    schema = {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}
    definition = Definition(system="crm", entity="customer", key_fields=["id"], json_schema=schema)
    store_definition(definition=definition, actor=SYSTEM)


def _measure_rate(work, address: str) -> float:
    """Return messages a second of both processes, from the first start to the last end."""
    with multiprocessing.get_context("spawn").Pool(_WORKERS) as pool:
        times = pool.map(partial(_time_work, work, address, time.time() + 8), range(_WORKERS))
    begins, ends = zip(*times, strict=True)
    return _MESSAGES / (max(ends) - min(begins))


def _time_work(work, address: str, start: float, number: int) -> tuple[float, float]:
    ready = work(address)
    while time.time() < start:
        time.sleep(0.01)
    began = time.time()
    ready()
    return began, time.time()


def _insert_bare(address: str):
    hub = psycopg.connect(address, prepare_threshold=1)

    def insert() -> None:
        for _ in range(_MESSAGES // _WORKERS):
            key = str(uuid.uuid4())
            record = json.dumps({"id": 1, "name": "a customer"})
            for statement in _BARE:
                hub.execute(statement, {"id": key, "data": f"[{record}]", "record": record})
            hub.commit()

    return insert


def _connect_process(address: str) -> None:
    """Connect Django to the database of the run."""
    import django

    django.setup()
    from django.db import connection

    connection.settings_dict["NAME"] = address.rpartition("/")[2].partition("?")[0]
    connection.ensure_connection()


def _make_store_work(address: str):
    _connect_process(address)
    from messages_app.audit.services import SYSTEM
    from messages_app.message_store.services.intake import store_messages

    def work() -> None:
        for first in range(0, _MESSAGES // _WORKERS, _STORED_TOGETHER):
            size = min(_STORED_TOGETHER, _MESSAGES // _WORKERS - first)
            store_messages([_make_message() for _ in range(size)], actor=SYSTEM)

    return work


def _make_message():
    """Return a message of one record, read like a sender's."""
    from messages_app.message_store.services.intake import read_message

    key = uuid.uuid4()
    data = [{"id": key.int % 2**60, "name": "a customer"}]
    values = {"identifier": str(key), "system": "crm", "entity": "customer", "data": data}
    return read_message(values)


def _make_process_work(address: str):
    _connect_process(address)
    from django.conf import settings

    from messages_app.message_store.services.worker_loop import work_for

    settings.MESSAGE_STORE_THREADS = _WORKERS
    settings.MESSAGE_STORE_QUEUE = 50

    def work() -> None:
        while work_for(seconds=60):
            pass

    return work


def _measure_picks() -> tuple[float, float]:
    """Return the median and the maximum time to select ten messages, in ms."""
    from django.conf import settings

    from messages_app.message_store.services.monitor import fill_queue

    took = []
    for number in range(_PICKS):
        settings.MESSAGE_STORE_QUEUE = 10 * (number + 1)
        began = time.monotonic()
        if fill_queue() != 10:
            raise SystemExit("A pick did not find ten messages.")
        took.append((time.monotonic() - began) * 1000)
    return statistics.median(took), max(took)
