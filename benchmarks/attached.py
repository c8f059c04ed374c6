"""
Measure the console on the tables of a hub that it is attached to: pages with and without indexes, archiving
compared with its own tables, and what attaching costs the hub.

The databases stay in a kept home (`--home`): an interrupted run continues, and each part can run alone.
"""

import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from io import StringIO
from itertools import product
from pathlib import Path

import psycopg

from benchmarks.dashboard import count_history
from benchmarks.databases import fill_template, fresh_copy
from benchmarks.families import fill_families
from benchmarks.filling import IDS_PER_MESSAGE, fill_hub, insert_into_hub
from benchmarks.hub_load import Clients, load
from benchmarks.lists import environment, percentiles
from benchmarks.phases import run_on_spark
from benchmarks.probe import ask
from hubconsole import embedded
from messages_app.shared.message_states import MessageState

HUBS = {"cleverbus": "CleverBus 2.0", "openhub": "OpenHub 2.3"}
SIZES = (10_000_000,)
ZONE = "Europe/Prague"
_BYTES = 950  # of a message in the hub's tables with its other rows, and the console's indexes
_ROUNDS = 10
_NAMES = (("service_name", "service"), ("last_process_timestamp", "last_update_timestamp"))


def measure(
    home: Path, *, sizes: tuple[int, ...], hubs: tuple[str, ...], parts: tuple[str, ...], rounds: int
) -> None:
    for name in hubs:
        for size in sizes:
            for part in (part for part in parts if part in OF_A_SIZE):
                with _database(
                    home, f"{name}_{size}", HUBS[name], partial(_fill, home, messages=size)
                ) as url:
                    OF_A_SIZE[part](home, url, size)
        if "load" in parts:
            _load(home, name, rounds)
        if "archive" in parts:
            _archive(home, name, rounds)


# The databases.


@contextmanager
def _database(home: Path, name: str, layout: str, fill: Callable[[psycopg.Cursor], None]) -> Iterator[str]:
    """Let Django use the database of a hub without a console, which is created and filled once."""
    from django.db import connection

    from tests.support.hubs import LAYOUTS

    with psycopg.connect(embedded.postgres.url(home, "postgres"), autocommit=True) as server:
        if not server.execute("SELECT FROM pg_database WHERE datname = %s", [name]).rowcount:
            server.execute(f"CREATE DATABASE {name}")
    url = embedded.postgres.url(home, name)
    _use(name)
    with psycopg.connect(url, autocommit=True) as hub:
        if hub.execute("SELECT to_regclass(%s)", [f"{LAYOUTS[layout].schema}.message"]).fetchone() == (None,):
            hub.execute(LAYOUTS[layout].script(filled=False))
            hub.execute("RESET search_path")
        if hub.execute("SELECT to_regnamespace('hubconsole')").fetchone() == (None,):
            fill(hub.cursor())
            hub.execute("CHECKPOINT")
    try:
        yield url
    finally:
        connection.close()


def _use(name: str) -> None:
    from django.contrib.contenttypes.models import ContentType
    from django.db import connection

    from messages_app.messages.attachment import forget_attachment

    connection.close()
    connection.settings_dict["NAME"] = name
    ContentType.objects.clear_cache()
    forget_attachment()


def _fill(home: Path, hub: psycopg.Cursor, *, messages: int) -> None:
    needed, free = messages * _BYTES, shutil.disk_usage(home).free
    print(f"({messages} messages need about {needed / 1e9:.1f} GB; {free / 1e9:.1f} GB are free)", flush=True)
    if needed > free / 2:
        raise SystemExit("The disk has too little space.")
    began = time.monotonic()
    fill_hub(hub, _hub(), messages=messages, zone=ZONE)
    print(f"(filled in {time.monotonic() - began:.0f} s)", flush=True)


def _hub():
    from messages_app.attach.recognition import recognize
    from tests.support.hubs import LAYOUTS

    found = [recognize(LAYOUTS[layout].schema) for layout in HUBS.values()]
    return next(hub for hub in found if hasattr(hub, "family"))


def _attach(*options: str) -> None:
    from django.core.management import call_command

    call_command("attach", _hub().schema, *options, time_zone=ZONE, stdout=StringIO(), stderr=StringIO())


# Pages.


def _attach_with_triggers(home: Path, url: str, size: int) -> None:
    began = time.monotonic()
    _attach("--create-triggers")
    print(f"attached in {time.monotonic() - began:.1f} s", flush=True)


def _count(home: Path, url: str, size: int) -> None:
    began = time.monotonic()
    count_history()
    print(f"counted in {time.monotonic() - began:.0f} s", flush=True)


def _create_indexes(home: Path, url: str, size: int) -> None:
    before, began = _bytes(url), time.monotonic()
    _attach("--create-triggers", "--create-indexes")
    print(
        f"indexes created in {time.monotonic() - began:.0f} s:"
        f" {(_bytes(url) - before) / 1e9:.2f} GB for {before / 1e9:.2f} GB",
        flush=True,
    )


def _bytes(url: str) -> int:
    with psycopg.connect(url) as hub:
        return hub.execute("SELECT pg_database_size(current_database())").fetchone()[0]


def _pages(home: Path, url: str, size: int, *, rounds: int = _ROUNDS) -> None:
    """Print each address with p50 and p95 in milliseconds, kilobytes, and the words if it has no page."""
    addresses = addresses_of(url, size)
    if not rounds:  # Without indexes, many take as long as they may.
        addresses = [address for address in addresses if not address.startswith("/messages/?")]
    asked = {"addresses": addresses, "deep_queries": [], "depth": 0, "rounds": rounds}
    # This asks faster than any user may.
    unlimited = {"HUBCONSOLE_PAGES_PER_MINUTE": "1000000", "HUBCONSOLE_API_REQUESTS_PER_MINUTE": "1000000"}
    as_web = environment(home, url, "hubconsole.settings") | {"HUBCONSOLE_PROCESS": "web"} | unlimited
    for address, found in zip(addresses, ask(asked, environment=as_web), strict=True):
        p50, p95 = percentiles(found["ms"]) if rounds else found["ms"] * 2
        words = "" if found["status"] == 200 else f"{found['status']}: {found['begins'][-400:]}"
        print(f"{p50:>8.0f} {p95:>8.0f} {found['bytes'] / 1000:>6.0f} kB  {address}  {words}", flush=True)


_STATES = (
    MessageState.OK,
    MessageState.FAILED,
    MessageState.POSTPONED,
    MessageState.PARTLY_FAILED,
    MessageState.WAITING,
)


def addresses_of(url: str, size: int, *, schema: str = "hubconsole", named: bool = False) -> list[str]:
    """
    Return the pages and calls to measure, of values that the tables of this size have.

    Args:
        schema: where the console has its tables and views.
        named: return the same list with states instead of ids.
    """
    with psycopg.connect(url, options=f"-c search_path={schema}") as hub:
        newest = {state: f"{hub.execute(_NEWEST, [state]).fetchone()[0]}" for state in _STATES}
        (group,) = hub.execute("SELECT coalesce(max(group_id), 1) FROM failure_member").fetchone()
    parent = str(size // 2 * IDS_PER_MESSAGE)
    values = {"parent": parent, "group": group, **_moments()}
    if named:
        newest = {state: str(state) for state in newest}
        parent = "PARENT"
        values = {name: name for name in values}
    lists = [one.format(**values) for one in _LISTS]
    one = [
        f"{address}{msg_id}/{part}"
        for msg_id in (*newest.values(), parent)
        for address, parts in _OF_MESSAGE.items()
        for part in parts
    ]
    return [
        *_OTHERS,
        *(f"/messages/?{query}" for query in lists),
        *(f"/api/v1/messages/?{query}" for query in lists),
        *(f"/messages/histogram/?{query}" for query in lists[:8]),
        *(f"/api/v1/messages/count/?{query}" for query in lists[:4]),
        *(f"/messages/find/part/?id={text}" for text in _IDS),
        *one,
    ]


def _moments() -> dict[str, str]:
    """Return the ends of the ranges: an hour ago, and days of the past, each with its next day."""
    now = datetime.now(UTC)
    ages = {"hour": 1, "old": 58 * 24, "old_end": 57 * 24, "month": 30 * 24, "month_end": 29 * 24}
    return {name: f"{now - timedelta(hours=hours):%Y-%m-%dT%H:%M:%SZ}" for name, hours in ages.items()}


_NEWEST = "SELECT max(msg_id) FROM message WHERE state = %s"
_LISTS = (
    "",
    "state=FAILED",
    "receive_timestamp_from={hour}",
    "service_name=legacy",
    "source_system=CRM&state=FAILED",
    "state=FAILED,POSTPONED,WAITING",
    "receive_timestamp_from={month}&receive_timestamp_to={month_end}",
    "service_name=legacy&receive_timestamp_from={old}&receive_timestamp_to={old_end}",
    "state=FAILED&service_name=billing",
    "service_name=billing",
    "correlation_id=corr-77",
    "process_id=proc-77",
    "object_id=obj-77",
    "entity_type=ORDER",
    "operation_name=legacyOp3",
    "funnel_value=hot",
    "funnel_value=old-40",
    "funnel_component_id=funnel_0",
    "failed_error_code=E103",
    "msg_id=7770,7780",
    "parent_msg_id={parent}",
    "family=roots",
    "family=failed",
    "failure_group={group}",
    "failure_group={group}&state=FAILED",
    "msg_timestamp_from={month}&msg_timestamp_to={month_end}",
    "last_process_timestamp_from={month}&last_process_timestamp_to={month_end}",
    "payload_contains=C77&receive_timestamp_from={month}&receive_timestamp_to={month_end}",
    "ordering=receive_timestamp",
    "ordering=-receive_timestamp&state=FAILED",
    "archived=true",
    "archived=true&correlation_id=corr-70a",
    "archived=true&service_name=legacy",
    "archived=any&state=FAILED",
    "archived=any&object_id=obj-70",
)
_IDS = ("corr-77", "proc-77", "obj-77", "CRM_corr-800", "80", "no-such-id")
_OF_MESSAGE = {
    "/messages/": ("", "payload/", "children/", "calls/", "exchanges/"),
    "/api/v1/messages/": ("", "explain/", "timeline/", "tree/", "restart-preview/"),
}
_OTHERS = (
    "/",
    "/?window=7d",
    "/handover/",
    "/failures/",
    "/funnels/",
    "/funnels/?value=hot",
    "/messages/suggest/?q=service:b&at=9",
    "/messages/suggest/?q=operation:o&at=11",
    "/api/v1/dashboard/",
    "/api/v1/stats/",
    "/api/v1/failure-groups/",
    "/api/v1/external-calls/",
    "/api/v1/external-calls/?state=FAILED",
    "/api/v1/external-calls/?operation_name=direct:target1",
    "/api/v1/requests/",
    "/api/v1/responses/",
    "/api/v1/responses/?failed=true",
    "/api/v1/funnels/",
)

OF_A_SIZE: dict[str, Callable[[Path, str, int], None]] = {
    "fill": lambda home, url, size: None,
    "attach": _attach_with_triggers,
    "count": _count,
    "plain": partial(_pages, rounds=0),
    "indexes": _create_indexes,
    "pages": _pages,
}
PARTS = (*OF_A_SIZE, "load", "archive")
WITH_SPARK = {"count", "archive"}


# The cost for the hub.

_LOADED = 200_000


def _load(home: Path, name: str, rounds: int) -> None:
    """Print the rates of the hub's own cycle before it is attached, and after."""
    steps: dict[str, tuple[str, ...] | None] = {
        "not attached": None,
        "triggers": ("--create-triggers",),
        "triggers and indexes": ("--create-triggers", "--create-indexes"),
    }
    template = f"{name}_load"
    with _database(home, template, HUBS[name], partial(_fill, home, messages=_LOADED)):
        pass
    print(
        f"{'hub':>10} {'commit':>6} {'clients':>7} {'with':>21} {'messages/s':>10} {'rate':>5} {'p50 ms':>7}"
        f" {'p95 ms':>7}"
    )
    for commit, clients in product(("on", "off"), (1, 2)):
        found: dict[str, list[Clients]] = {step: [] for step in steps}
        for _ in range(rounds):
            for step, options in steps.items():
                found[step].append(_loaded(home, template, options, commit, clients))
        bare = statistics.median(run.rate for run in found["not attached"])
        for step, runs in found.items():
            rate, median, p95 = map(statistics.median, zip(*runs, strict=True))
            row = f"{name:>10} {commit:>6} {clients:>7} {step:>21} {rate:>10.0f} {rate / bare:>5.2f}"
            print(f"{row} {median:>7.2f} {p95:>7.2f}", flush=True)


def _loaded(home: Path, template: str, options: tuple[str, ...] | None, commit: str, clients: int) -> Clients:
    url = fresh_copy(home, template)
    _use(url.rpartition("/")[2])
    hub = _hub()
    with psycopg.connect(url, autocommit=True) as session:
        # The hub's own program takes the id from the sequence.
        session.execute(
            f"ALTER TABLE {hub.schema}.message"
            f" ALTER msg_id SET DEFAULT nextval('{hub.schema}.{hub.family.sequence}')"
        )
    if options is not None:
        _attach(*options)
    with psycopg.connect(url, autocommit=True) as session:
        session.execute("CHECKPOINT")
    return load(url, commit, schema=hub.schema, names=_NAMES, zone=ZONE, clients=clients)


# Archiving.

_FAMILIES = 150_000
_JOB = {"filter": {}, "options": {"older_than_months": 2}}


def _archive(home: Path, name: str, rounds: int) -> None:
    """Print the seconds of the same archive job on the console's own tables and on those of the hub."""
    from django.db import connection

    _use(embedded.postgres.DATABASE)
    with psycopg.connect(embedded.postgres.url(home)) as own:
        is_filled = own.execute("SELECT to_regclass('message') IS NOT NULL").fetchone()[0]
    if not is_filled:
        fill_template(home, partial(fill_families, families=_FAMILIES))
    template = f"{name}_archive"
    with _database(home, template, HUBS[name], _fill_families) as url:
        _attach("--create-triggers", "--create-indexes")
        with psycopg.connect(url, autocommit=True) as hub:
            hub.execute("VACUUM ANALYZE")
    seconds: dict[str, list[float]] = {embedded.postgres.DATABASE: [], template: []}
    for number in range(rounds + 1):
        for database, found in seconds.items():
            copy = fresh_copy(home, database)
            _use(copy.rpartition("/")[2])
            phases = run_on_spark("archive", **_JOB)
            if number:  # The first job after a start is slow.
                found.append(phases.total)
                print(
                    f"{database:>20} {phases.plan:>7.1f} {phases.work:>7.1f} {phases.total:>7.1f} s",
                    flush=True,
                )
    connection.close()
    own_seconds, on_hub = (statistics.median(found) for found in seconds.values())
    print(f"archiving on the tables of the hub takes {on_hub / own_seconds:.2f} of the time")


def _fill_families(hub: psycopg.Cursor) -> None:
    values = {"families": _FAMILIES, "ids": IDS_PER_MESSAGE, "generations": 1}
    found = _hub()
    insert_into_hub(hub, found, "families", values, zone=ZONE)
    last_id = _FAMILIES * 2 * IDS_PER_MESSAGE
    hub.execute(f"SELECT setval('{found.schema}.{found.family.sequence}', {last_id})")
