"""
Measure calls of the API and pages, compared with bare views of Django REST framework and with Django's admin.

Both APIs run at the same time behind the web server of `up`, on the same database, and answer in turns. A
client keeps its connection. The product's limit of requests is raised so far that it is counted but not met.
Pages are rendered in a process of their own, as in lists.py.
"""

import http.client
import json
import multiprocessing
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg

from benchmarks.lists import filled_database, make_environment
from benchmarks.probe import ask_server, times_of
from hubconsole.devserver import processes, progress
from messages_app.core.embedded_servers import find_free_port
from messages_app.shared.message_states import MessageState

SIZES = (10_000,)
PARTS = ("api", "pages")
_PATH = "/api/v1/messages/"
_CALLS, _ACTIONS = 150, 60
_CLIENTS, _SECONDS = 4, 4.0
_PAGE_ROUNDS = 20
_TIMEOUT = 30
_STOCK, _BARE = "benchmarks.stock_settings", "benchmarks.bare_settings"
# Messages in this state are cancelled.
_FROM = MessageState.POSTPONED
_MAKE_CANCELLABLE = """
UPDATE message SET state = %s WHERE msg_id IN (SELECT msg_id FROM message ORDER BY msg_id LIMIT %s)
"""


@dataclass(frozen=True, kw_only=True)
class _Server:
    """A running API: its port, and a token."""

    name: str
    port: int
    key: str


def measure_requests(home: Path, *, sizes: tuple[int, ...], rounds: int, parts: tuple[str, ...]) -> None:
    """
    Print milliseconds and ratios of calls and pages for each number of messages.

    Args:
        parts: api: calls one after the other, and reads a second of four clients; pages.
    """
    for size in sizes:
        url = filled_database(home, size)
        _run_command(home, url, _BARE, "migrate", "authtoken", "--verbosity", "0")
        print(f"{size} messages")
        if "api" in parts:
            with _start_servers(home, url) as servers:
                _print_calls(url, servers, rounds)
                _print_rates(servers, rounds)
        if "pages" in parts:
            _print_pages(home, url, rounds)


def _run_command(home: Path, url: str, settings: str, *arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(
        command, env=make_environment(home, url, settings), stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


@contextmanager
def _start_servers(home: Path, url: str) -> Iterator[list[_Server]]:
    """Start both APIs with a token each. The product's user is an operator without other roles."""
    from hubconsole.devserver import programs

    product = make_environment(home, url, "hubconsole.settings")
    made = _run_command(home, url, "hubconsole.settings", "shell", "--no-imports", "--command", _SCRIPT)
    bare = _run_command(home, url, _BARE, "drf_create_token", "bench-api")
    servers = [
        _Server(name="product", port=find_free_port(), key=made.split()[-1]),
        _Server(name="bare", port=find_free_port(), key=bare.split()[2]),
    ]
    web = [
        programs.web_program(bind="127.0.0.1", port=server.port, environment=product) for server in servers
    ]
    command = [
        part.replace("hubconsole.wsgi", "django.core.wsgi:get_wsgi_application()") for part in web[1].command
    ]
    web[1] = replace(
        web[1],
        name="bare",
        command=command,
        environment={**product, "DJANGO_SETTINGS_MODULE": _BARE, "HUBCONSOLE_PROCESS": "web"},
    )
    started = []
    try:
        for program in web:
            started.append(processes.Process(program, home))
            progress.wait_ready(started[-1])
        yield servers
    finally:
        processes.end_all(started)


_SCRIPT = """
from django.contrib.auth.models import Group, User
from messages_app.access.token_services import create_token
from messages_app.audit.services import SYSTEM
user, _ = User.objects.get_or_create(username="bench-api")
user.groups.set(Group.objects.filter(name="operator"))
print(create_token(user=user, name="bench", actor=SYSTEM)[1])
"""


class _Client:
    """A connection that stays open."""

    def __init__(self, server: _Server) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_TIMEOUT)
        self._headers = {"Authorization": f"Token {server.key}", "Content-Type": "application/json"}

    def send(self, path: str, body: object = None) -> None:
        """Send a GET, or a POST with a body, and read the answer. Raises SystemExit if it is not 200."""
        method, content = ("GET", None) if body is None else ("POST", json.dumps(body))
        self._connection.request(method, path, content, self._headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status != http.client.OK:
            raise SystemExit(f"{path} answered {answer.status}: {content[:300]!r}")


def _print_calls(url: str, servers: list[_Server], rounds: int) -> None:
    """Print the median of each call over HTTP, in milliseconds, and the ratio of the medians."""
    with psycopg.connect(url, autocommit=True) as hub:
        newest = hub.execute("SELECT max(msg_id) FROM message").fetchone()[0]
        hub.execute(_MAKE_CANCELLABLE, [_FROM, _ACTIONS * rounds * len(servers)])
        rows = hub.execute("SELECT msg_id FROM message WHERE state = %s ORDER BY msg_id", [_FROM]).fetchall()
    ids = iter([msg_id for (msg_id,) in rows])
    calls: dict[str, tuple[int, Callable[[_Client], None]]] = {
        "list of 50": (_CALLS, lambda client: client.send(_PATH)),
        "detail": (_CALLS, lambda client: client.send(f"{_PATH}{newest}/")),
        "action": (_ACTIONS, lambda client: client.send(f"{_PATH}{next(ids)}/cancel/", {"reason": "bench"})),
    }
    print(f"{'call, over HTTP':20} {'product ms':>11} {'bare ms':>9} {'ratio':>6}")
    for name, (count, call) in calls.items():
        times: dict[str, list[float]] = {server.name: [] for server in servers}
        for _ in range(rounds):
            for server in servers:
                times[server.name].append(_median_of(_Client(server), count, call))
        product, bare = (statistics.median(values) for values in times.values())
        print(f"{name:20} {product:>11.2f} {bare:>9.2f} {product / bare:>6.2f}", flush=True)


def _median_of(client: _Client, count: int, call: Callable[[_Client], None]) -> float:
    times = []
    for _ in range(count):
        began = time.perf_counter()
        call(client)
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def _print_rates(servers: list[_Server], rounds: int) -> None:
    """Print reads a second of four clients, which are processes on the same cores."""
    print(f"{'reads/s, 4 clients':20} {'product':>11} {'bare':>9} {'ratio':>6}")
    for name, path in (("list of 50", _PATH), ("detail", f"{_PATH}100000/")):
        rates: dict[str, list[float]] = {server.name: [] for server in servers}
        for _ in range(rounds):
            for server in servers:
                rates[server.name].append(_measure_rate(server, path))
        product, bare = (statistics.median(values) for values in rates.values())
        print(f"{name:20} {product:>11.0f} {bare:>9.0f} {product / bare:>6.2f}", flush=True)


def _measure_rate(server: _Server, path: str) -> float:
    with multiprocessing.get_context("fork").Pool(_CLIENTS) as pool:
        counts = pool.starmap(_read_page, [(server, path)] * _CLIENTS)
    return sum(counts) / _SECONDS


def _read_page(server: _Server, path: str) -> int:
    client, count, deadline = _Client(server), 0, time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        client.send(path)
        count += 1
    return count


def _print_pages(home: Path, url: str, rounds: int) -> None:
    """Print the medians of pages and of the admin's pages of the same table, in ms at the server."""
    with psycopg.connect(url) as hub:
        newest = hub.execute("SELECT max(msg_id) FROM message").fetchone()[0]
    admin = "/admin/messages_app/message/"
    pages = {
        "product": ("hubconsole.settings", ["/messages/", f"/messages/{newest}/", "/"]),
        "admin": (_STOCK, [admin, f"{admin}{newest}/change/", "/admin/"]),
    }
    times: dict[str, list[list[float]]] = {name: [] for name in pages}
    for _ in range(rounds):
        for name, (settings, addresses) in pages.items():
            questions = {"addresses": addresses, "deep_queries": [], "depth": 0, "rounds": _PAGE_ROUNDS}
            answers = times_of(ask_server(questions, environment=make_environment(home, url, settings)))
            times[name].append([statistics.median(values) for values in answers])
    print(f"{'page, at the server':20} {'product ms':>11} {'admin ms':>9} {'ratio':>6}")
    for place, name in enumerate(("list", "one message", "first page")):
        product, stock = (statistics.median(values[place] for values in times[side]) for side in pages)
        print(f"{name:20} {product:>11.1f} {stock:>9.1f} {product / stock:>6.2f}", flush=True)
