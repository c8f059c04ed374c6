"""Measure the pages of the tables in the admin, at the server, among many rows."""

import statistics
from pathlib import Path

import psycopg

from benchmarks.admin_stores import STORE_LISTS, filled_stores, pages_of_stored
from benchmarks.databases import messages_once
from benchmarks.filling import IDS_PER_MESSAGE
from benchmarks.lists import environment, percentiles
from benchmarks.probe import ask, times_of
from messages_app.core.embedded_servers import database_url

SIZES = (10_000_000,)
_ROUNDS = 20
PARTS = ("hub", "stores")
_PAGES = "/admin/messages_app/"
_LISTS = (
    "message/",
    "message/?state=FAILED",
    "message/?state=OK",
    "message/?service_name=billing",
    "message/?state=FAILED&service_name=legacy",
    "message/?source_system=CRM&state=FAILED",
    "message/?failed_error_code=E103",
    "message/?receive_timestamp_from=-24h",
    "message/?receive_timestamp_from=-7d&service_name=billing",
    "message/?o=3",
    "message/?funnel_value=hot",
    "message/?q=corr-77",
    "message/?q=no-such-id",
    "archivemessage/",
    "archivemessage/?state=FAILED",
    "externalcall/",
    "externalcall/?state=FAILED",
    "request/",
    "request/?req_timestamp_from=-24h",
    "response/",
    "response/?failed=true",
    "funnel/",
    "funnel/?funnel_value=hot",
    "archiveexternalcall/",
    "archiverequest/",
    "archiveresponse/",
    "archivefunnel/",
)
_ROWS = ("message", "externalcall", "request", "response", "funnel", "archivemessage", "archiverequest")


def measure(home: Path, *, sizes: tuple[int, ...], parts: tuple[str, ...]) -> None:
    """
    Print the processor time of each page, and p50 and p95 of its time, in milliseconds, for each size.

    Args:
        sizes: messages of the hub, and of each store.
        parts: hub, and stores: documents, stored messages and CP messages.
    """
    for size in sizes:
        if "hub" in parts:
            url = database_url(home, messages_once(home, size))
            paths = [*_LISTS, *_pages_of_rows(url, size)]
            _print_times(home, url, size, ["/admin/", *(f"{_PAGES}{path}" for path in paths)])
        if "stores" in parts:
            url = filled_stores(home, size)
            paths = [*STORE_LISTS, *pages_of_stored(size)]
            _print_times(home, url, size, [f"{_PAGES}{path}" for path in paths])


def _print_times(home: Path, url: str, size: int, addresses: list[str]) -> None:
    asked = {"addresses": addresses, "deep_queries": [], "depth": 0, "rounds": _ROUNDS}
    answers = ask(asked, environment=environment(home, url, "hubconsole.settings"))
    print(f"{'messages':>10}  {'page':70} {'processor ms':>12} {'p50 ms':>7} {'p95 ms':>7}")
    for address, answer, times in zip(addresses, answers, times_of(answers), strict=True):
        p50, p95 = percentiles(times)
        worked = statistics.median(answer["processor_ms"])
        page = address.removeprefix(_PAGES)
        print(f"{size:>10}  {page:70} {worked:>12.0f} {p50:>7.0f} {p95:>7.0f}", flush=True)


def _pages_of_rows(url: str, size: int) -> list[str]:
    """Return the page of one row of each table, and of the message with the most children."""
    tables = {"externalcall": "external_call", "archivemessage": "archive_message"}
    tables |= {"archiverequest": "archive_request"}
    keys = {"externalcall": "call_id", "request": "req_id", "archiverequest": "req_id", "response": "res_id"}
    keys["funnel"] = "funnel_id"
    with psycopg.connect(url) as server:
        rows = [
            (name, server.execute(f"SELECT max({keys.get(name, 'msg_id')}) FROM {tables.get(name, name)}"))
            for name in _ROWS
        ]
        pages = [f"{name}/{found.fetchone()[0]}/change/" for name, found in rows]
    return [*pages, f"message/{size // 2 * IDS_PER_MESSAGE}/change/"]
