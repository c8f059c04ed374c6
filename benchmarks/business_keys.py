"""
Measure business keys: the search among many values, the pass over new messages, and the job for all others.

Orders have about 2 kB and two keys each. Times are with PostgreSQL on the same machine.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event, Thread

import psutil
import psycopg

from benchmarks.analysis import fill_orders
from benchmarks.databases import empty_template, fill_template, fresh_copy
from benchmarks.filling import stop_triggers
from benchmarks.jobs import run_job
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")

PARTS = ("lookup", "pass", "arrival", "job")
_SERVICES = ("service-0", "service-1", "service-2")
_PATHS = {"order": "/Order/ID", "customer": "/Order/Buyer/EndpointID"}
_MONTHS = """
SELECT make_business_key_month(month)
  FROM generate_series(date_trunc('month', now() - interval '731 days', 'UTC'), now(), interval '1 month')
       AS month
"""
# Indexes of messages that a search for keys does not use. Filling them would take most of the time.
_OTHER_INDEXES = """
SELECT format('DROP INDEX %s', indexrelid::regclass)
  FROM pg_index
 WHERE indrelid = 'message'::regclass
   AND NOT indisunique
"""
_FROM_START = "INSERT INTO business_key_pass (id, front, safe, mark, mark_xid) VALUES (1, 0, 0, 0, 0)"
_ARRIVAL_SECONDS, _A_SECOND, _PAUSE = 30, 200, 3.0
_NEW_WAITS = """
SELECT msg_id, extract(epoch FROM clock_timestamp() - receive_timestamp)::float
  FROM business_key
 WHERE msg_id > %s
   AND value LIKE 'A%%'
"""


def measure_keys(home: Path, *, messages: int, rounds: int, parts: tuple[str, ...]) -> None:
    """
    Print the figures of the parts.

    Args:
        messages: of the job. The search has ten times as many, and the pass a twentieth.
    """
    measures: dict[str, Callable[[], None]] = {
        "lookup": partial(_measure_lookup, home, 10 * messages),
        "pass": partial(_measure_pass, home, messages // 20, rounds),
        "arrival": partial(_measure_arrival, home),
        "job": partial(_measure_job, home, messages, rounds),
    }
    for part in parts:
        measures[part]()


def _measure_lookup(home: Path, messages: int) -> None:
    """Print the times to find a whole value and a prefix, with and without the permission for payloads."""
    from messages_app.business_keys.selectors import find_prefix, find_value

    began = time.monotonic()
    _fill_again(home, partial(_fill_keys, messages=messages))
    print(
        f"({messages} messages with {2 * messages} keys filled in {time.monotonic() - began:.0f} s)",
        flush=True,
    )
    number = messages // 2
    searches = {
        "order, whole": partial(find_value, f"N{number:09d}"),
        "customer of a thousand messages, whole": partial(
            find_value, f"C{number % (1 + messages // 1000):09d}"
        ),
        "no value": partial(find_value, "N-none"),
        "prefix of one order": partial(find_prefix, f"N{number:09d}"[:-1]),
        "prefix of a thousandth of all orders": partial(find_prefix, f"N{number:09d}"[:-4]),
        "prefix of all orders": partial(find_prefix, "N"),
    }
    for name, search in searches.items():
        for may_view_payload in (False, True):
            first, again = _time_search(partial(search, may_view_payload=may_view_payload))
            print(
                f"{name}, {'all' if may_view_payload else 'open'} keys: {first:.1f} ms, then {again:.1f} ms"
            )


def _time_search(search: Callable[[], object]) -> tuple[float, float]:
    """Return the milliseconds of a first search, and the median of twenty more."""
    milliseconds = []
    for _ in range(21):
        began = time.perf_counter()
        search()
        milliseconds.append((time.perf_counter() - began) * 1000)
    return milliseconds[0], statistics.median(milliseconds[1:])


def _measure_pass(home: Path, messages: int, rounds: int) -> None:
    """Print the messages that the pass reads in a second of a processor, with its session's."""
    from messages_app.business_keys.passes import extract_new_keys

    _fill_again(home, partial(_fill_orders_with_definitions, messages=messages))
    rates = []
    for _ in range(rounds):
        url = fresh_copy(home)
        with psycopg.connect(url) as hub:
            hub.execute(_FROM_START)
        session = _own_session()
        before, began = _cpu_seconds(session), time.monotonic()
        while extract_new_keys():
            pass
        seconds, busy = time.monotonic() - began, _cpu_seconds(session) - before
        if (keys := _count_keys(url)) != 2 * messages:
            raise SystemExit(f"{keys} keys are stored, not {2 * messages}.")
        rates.append(messages / busy)
        print(f"  {messages} messages in {seconds:.1f} s, {busy:.1f} s of a processor", flush=True)
    rate = statistics.median(rates)
    print(
        f"pass: {rate:.0f} messages in a second of a processor; 200 in a second take {200 / rate:.2f} of one"
    )


def _measure_arrival(home: Path) -> None:
    """Print how long after its arrival a message is found, while 200 arrive in a second."""
    from messages_app.business_keys.passes import extract_new_keys

    _fill_again(home, partial(_fill_orders_with_definitions, messages=_A_SECOND))
    url = fresh_copy(home)
    while extract_new_keys():
        pass
    extract_new_keys()
    is_over, waits = Event(), dict[int, float]()
    hub = Thread(target=_let_arrive, args=(url, is_over))
    hub.start()
    try:
        until = time.monotonic() + _ARRIVAL_SECONDS
        while time.monotonic() < until:
            began = time.monotonic()
            extract_new_keys()
            with psycopg.connect(url) as database:
                waits |= database.execute(_NEW_WAITS, [max(waits, default=0)]).fetchall()
            time.sleep(max(0.0, _PAUSE - (time.monotonic() - began)))
    finally:
        is_over.set()
        hub.join()
    print(
        f"arrival: {len(waits)} messages in {_ARRIVAL_SECONDS} s are found after"
        f" {statistics.median(waits.values()):.1f} s, at most {max(waits.values()):.1f} s,"
        f" with a pass every {_PAUSE:.0f} s"
    )


def _let_arrive(url: str, is_over: Event) -> None:
    """Insert messages every second, as a hub does."""
    with psycopg.connect(url, autocommit=True) as hub:
        number = 0
        while not is_over.is_set():
            began, number = time.monotonic(), number + 1
            hub.execute(
                statements.read_text("filling/arriving_orders"), {"number": number, "messages": _A_SECOND}
            )
            is_over.wait(max(0.0, 1 - (time.monotonic() - began)))


def _measure_job(home: Path, messages: int, rounds: int) -> None:
    """Print the time of the job that indexes all messages."""
    _fill_again(home, partial(_fill_orders_with_definitions, messages=messages))
    seconds = []
    for _ in range(rounds):
        url = fresh_copy(home)
        seconds.append(run_job("index_keys", filter={}, options={}))
        print(f"  {messages} messages in {seconds[-1]:.1f} s", flush=True)
        if (keys := _count_keys(url)) != 2 * messages:
            raise SystemExit(f"{keys} keys are stored, not {2 * messages}.")
    middle = statistics.median(seconds)
    print(f"index_keys of {messages} messages: {middle:.0f} s, {messages / middle:.0f} messages a second")


def _fill_again(home: Path, fill: Callable[[psycopg.Cursor], None]) -> None:
    empty_template(home)
    fill_template(home, fill)


def _fill_keys(hub: psycopg.Cursor, *, messages: int) -> None:
    """Insert short messages of two years with two keys each."""
    triggers = stop_triggers(hub)
    for statement in [row[0] for row in hub.execute(_OTHER_INDEXES).fetchall()]:
        hub.execute(statement)
    _define_keys(hub)
    hub.execute(_MONTHS)
    for name in ("short_messages", "keys"):
        hub.execute(statements.read_text(f"filling/{name}"), {"messages": messages})
    for one in triggers:
        hub.execute(one)


def _fill_orders_with_definitions(hub: psycopg.Cursor, *, messages: int) -> None:
    fill_orders(hub, messages=messages)
    _define_keys(hub)


def _define_keys(hub: psycopg.Cursor) -> None:
    rows = [(service, name, path) for service in _SERVICES for name, path in _PATHS.items()]
    hub.executemany(
        "INSERT INTO business_key_definition (service_name, operation_name, name, path)"
        " VALUES (%s, 'order', %s, %s)",
        rows,
    )


def _own_session() -> psutil.Process:
    """Return the process of the session that the pass uses."""
    from django.db import connection

    connection.ensure_connection()
    return psutil.Process(connection.connection.info.backend_pid)


def _cpu_seconds(session: psutil.Process) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in (psutil.Process(), session))


def _count_keys(url: str) -> int:
    with psycopg.connect(url) as hub:
        (keys,) = hub.execute("SELECT count(*) FROM business_key").fetchone() or (0,)
    return keys
