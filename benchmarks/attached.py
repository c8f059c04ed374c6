"""
Measure the console on the tables of a hub that it is attached to: pages with and without indexes, archiving,
and what attaching costs the hub.

The databases stay in a kept home (`--home`): an interrupted run continues, and each part can run alone.
"""

import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import product
from pathlib import Path

import psycopg

from benchmarks import attached_archive
from benchmarks.dashboard import count_history
from benchmarks.databases import fresh_copy
from benchmarks.filling import IDS_PER_MESSAGE
from benchmarks.hub_databases import HUBS, ZONE, attach, fill_messages, hub_database, recognized_hub
from benchmarks.hub_load import Clients, load
from benchmarks.lists import environment, percentiles
from benchmarks.probe import ask
from messages_app.shared.message_states import MessageState

SIZES = (10_000_000,)
_ROUNDS = 10
_NAMES = (("service_name", "service"), ("last_process_timestamp", "last_update_timestamp"))


def measure(
    home: Path,
    *,
    sizes: tuple[int, ...],
    hubs: tuple[str, ...],
    parts: tuple[str, ...],
    rounds: int,
    families: int,
) -> None:
    for name in hubs:
        for size in sizes:
            for part in (part for part in parts if part in OF_A_SIZE):
                with hub_database(
                    home, f"{name}_{size}", HUBS[name], partial(fill_messages, home, messages=size)
                ) as url:
                    OF_A_SIZE[part](home, url, size)
        if "load" in parts:
            _load(home, name, rounds)
        for part in (part for part in parts if part in attached_archive.GENERATIONS):
            attached_archive.measure(home, name, families=families, rounds=rounds, part=part)


# Pages.


def _attach_with_triggers(home: Path, url: str, size: int) -> None:
    began = time.monotonic()
    attach("--create-triggers")
    print(f"attached in {time.monotonic() - began:.1f} s", flush=True)


def _count(home: Path, url: str, size: int) -> None:
    began = time.monotonic()
    count_history()
    print(f"counted in {time.monotonic() - began:.0f} s", flush=True)


def _create_indexes(home: Path, url: str, size: int) -> None:
    before, began = _bytes(url), time.monotonic()
    attach("--create-triggers", "--create-indexes")
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
PARTS = (*OF_A_SIZE, "load", *attached_archive.GENERATIONS)
WITH_SPARK = {"count", *attached_archive.GENERATIONS}


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
    with hub_database(home, template, HUBS[name], partial(fill_messages, home, messages=_LOADED)):
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
    hub = recognized_hub()
    with psycopg.connect(url, autocommit=True) as session:
        # The hub's own program takes the id from the sequence.
        session.execute(
            f"ALTER TABLE {hub.schema}.message"
            f" ALTER msg_id SET DEFAULT nextval('{hub.schema}.{hub.family.sequence}')"
        )
    if options is not None:
        attach(*options)
    with psycopg.connect(url, autocommit=True) as session:
        session.execute("CHECKPOINT")
    return load(url, commit, schema=hub.schema, names=_NAMES, zone=ZONE, clients=clients)
