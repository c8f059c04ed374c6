"""
Loads the demo in one transaction, so that an interrupted load leaves nothing behind.

One thread makes rows while another copies the previous batch, so that Python and the database work in
parallel.
"""

import heapq
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import psycopg
from django.db import connection, transaction

from messages_app.demo.arrival_times import last_outage, make_arrivals
from messages_app.demo.cp_queue import load_queue
from messages_app.demo.data_hub import load_data_hub
from messages_app.demo.document_intake import load_intake
from messages_app.demo.drafts import Draft
from messages_app.demo.hub_tables import refuse_other_hub, sequence_name
from messages_app.demo.hub_tables.attached import AttachedTables, attached_tables
from messages_app.demo.key_definitions import define_keys
from messages_app.demo.lives import Times, largest_size, make_family
from messages_app.demo.records import Recorder
from messages_app.demo.releases import load_releases
from messages_app.demo.rows import COLUMNS, Lines, Rows
from messages_app.demo.senders import Senders
from messages_app.demo.stories import Storyteller, family_size
from messages_app.demo.world import make_dice
from messages_app.messages.first_steps import show_loading

_MESSAGES_PER_BATCH = 2_000
_SYNCHRONOUS_SHARE = 0.05
_LOCK_TIMEOUT = "10s"
_INTAKE_TABLES = ("document_history", "document_open", "document_in_doubt", "document_outcome")
_STORE_TABLES = ("message_store", "message_process", "message_history", "message_line", "target_record")
_QUEUE_TABLES = ("oscpmqueue", "cp_dispatch")
_HUB_TABLES = (*(table for table in COLUMNS if table != "message_event"), "archive_message", "message_store")

# Called with the number of messages that are in the database now, not yet committed.
OnProgress = Callable[[int], None]


class NotEmpty(Exception):
    """The database holds rows of a hub that the demo did not make; nothing was changed."""


def load_demo(*, count: int, seed: int, on_progress: OnProgress) -> int:
    """
    Fill an empty hub with `count` messages and all their rows; return that number.

    The same `count` and `seed` give the same demo, with times relative to the database's present.

    Raises:
        NotEmpty: a table of the hub or its archive has rows.
        NotAttachedForThis: the console is attached to a hub that is not the demo's.
        django.db.Error: the database failed; nothing was loaded.
    """
    refuse_other_hub()
    attached = attached_tables()

    def report(done: int) -> None:
        show_loading(done, total=count)
        on_progress(done)

    with transaction.atomic():
        show_loading(0, total=count)
        now, first_id = _claim_tables()
        rows = Rows(first_id=first_id)
        if attached:
            attached.prepare_copy(COLUMNS)
        _copy_all(make_batches(rows, count=count, seed=seed, now=now), report, attached)
        with connection.cursor() as cursor:
            cursor.execute("SELECT setval(%s, %s)", [sequence_name(), rows.next_id])
        load_intake(seed=seed, now=now)
        load_data_hub(seed=seed, now=now)
        load_queue(seed=seed, now=now)
        load_releases(now=now)
        define_keys()
    _analyze_tables()
    if attached:
        attached.analyze()
    return count


def _claim_tables() -> tuple[float, int]:
    """Lock the hub's tables and sequence, make sure they are empty; return the present and the first id."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'")
        cursor.execute(f"LOCK TABLE {', '.join(_HUB_TABLES)} IN SHARE ROW EXCLUSIVE MODE")
        for table in _HUB_TABLES:
            cursor.execute(f"SELECT EXISTS (SELECT FROM {table})")  # noqa: S608 (our own tuple)
            if cursor.fetchone()[0]:
                raise NotEmpty(f"table {table} is not empty")
        # Locks the sequence until the end, so that a hub that starts meanwhile draws no id of the demo.
        sequence = sequence_name()
        cursor.execute(f"ALTER SEQUENCE {sequence} INCREMENT BY 1")
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())::float8, nextval(%s)", [sequence])
        return cursor.fetchone()


def make_batches(rows: Rows, *, count: int, seed: int, now: float) -> Iterator[tuple[int, Lines]]:
    """
    Make the demo for a present time (`now`, seconds since 1970): the same for the same arguments.

    Yields the number of messages so far, and the new rows of each table.
    """
    random = make_dice(seed)
    recorder = Recorder(rows=rows, now=now, random=random)
    done = reported = 0
    for family in _draft_families(count=count, seed=seed, now=now):
        recorder.write_family(family)
        done += family_size(family)
        if random.random() < _SYNCHRONOUS_SHARE:
            recorder.write_synchronous(family.received_at, done)
        if done - reported >= _MESSAGES_PER_BATCH:
            yield done, rows.take_rows()
            reported = done
    yield done, rows.take_rows()


def _draft_families(*, count: int, seed: int, now: float) -> Iterator[Draft]:
    """Yield `count` messages as families, by time of receipt."""
    times = Times(now=now, outage=last_outage(now))
    stories = Storyteller(times=times, random=make_dice(f"stories {seed}")).make_families(count=count)
    ordinary = count - sum(family_size(root) for root in stories)
    yield from heapq.merge(
        _ordinary_families(count=ordinary, seed=seed, times=times), stories, key=lambda root: root.received_at
    )


def _ordinary_families(*, count: int, seed: int, times: Times) -> Iterator[Draft]:
    random = make_dice(f"ordinary {seed}")
    senders = Senders(random=random)
    moments = make_arrivals(count=count, now=times.now, outage=times.outage, random=random)
    left = count
    for received_at in moments:
        operation = senders.choose_operation()
        while largest_size(operation) > left:
            operation = senders.choose_operation()
        family = make_family(operation, received_at, senders=senders, times=times, random=random)
        members = family_size(family)
        left -= members
        yield family
        # Children replace the same number of messages that would have arrived next.
        for _ in range(members - 1):
            next(moments)


def _copy_all(
    batches: Iterator[tuple[int, Lines]], on_progress: OnProgress, attached: AttachedTables | None
) -> None:
    """Copy each batch while the next one is made."""
    database = connection.connection
    with connection.wrap_database_errors, ThreadPoolExecutor(max_workers=1) as copier:
        under_way: Future[int] = copier.submit(int)
        for done, tables in batches:
            on_progress(under_way.result())
            under_way = copier.submit(_copy_rows, database, tables, done, attached)
        on_progress(under_way.result())


def _copy_rows(
    database: psycopg.Connection, tables: Lines, done: int, attached: AttachedTables | None
) -> int:
    if attached:
        attached.copy_rows(database, tables, COLUMNS)
        return done
    with database.cursor() as cursor:
        for table, rows in tables.items():
            columns = ", ".join(COLUMNS[table])
            with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
    return done


def _analyze_tables() -> None:
    with connection.cursor() as cursor:
        for table in (*COLUMNS, *_INTAKE_TABLES, *_STORE_TABLES, *_QUEUE_TABLES):
            cursor.execute(f"ANALYZE {table}")
