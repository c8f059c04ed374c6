"""Two web hosts behind nginx share sessions, limits and idempotency keys, and one of them dies."""

import contextlib
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import psycopg
import pytest

from messages_app.core.embedded_servers import broker_url, database_url, find_free_port
from tests.faults.browsers import Browser
from tests.faults.clients import Client, Place, send
from tests.hubconsole.console import REPOSITORY, Console
from tests.support import nginx
from tests.support.eventually import eventually
from tests.support.servers import Servers

pytestmark = pytest.mark.slow

_ACTIONS, _CLIENTS, _JOBS = 500, 8, 16
_KEY = "for-this-test-only-" * 4
_GUIDE = REPOSITORY / "docs/howto/two_web_hosts.md"
_ROWS = """
INSERT INTO message (correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp, service_name,
                     source_system, state, operation_name, payload, failed_count)
SELECT state || n, old, old, old, 'billing', 'CRM', state, 'createInvoice', '<x/>', 3
  FROM (VALUES ('FAILED', 80), ('POSTPONED', 600)) AS kinds (state, number)
 CROSS JOIN LATERAL generate_series(1, number) AS n
 CROSS JOIN (SELECT now() - interval '1 day' AS old) AS age
"""
_CANCELLED = """
SELECT count(*), count(DISTINCT msg_id) FROM audit_entry WHERE action = 'cancel' AND outcome = 'done'
"""
_NAME = "hub.example.org"


class Hosts:
    """Two web hosts with two short workers, as the guides start them, and nginx before them."""

    def __init__(self, console: Console, folder: Path) -> None:
        self._console, self._folder, self._started = console, folder, []
        # `up` gives the servers, the other workers and beat; its web processes get no requests.
        console.start("--no-demo", DJANGO_SECRET_KEY=_KEY)
        ports = (find_free_port(), find_free_port())
        self.programs = [self._start_host(number, port) for number, port in enumerate(ports)]
        self.port = find_free_port()
        self._start_nginx(ports)
        own = {"Host": _NAME}
        # As nginx asks them.
        self.each = tuple(Place(port, own | {"X-Forwarded-Proto": "https"}) for port in ports)
        self.nginx = Place(self.port, own, ssl.create_default_context(cafile=folder / "hub.pem"), _NAME)
        for place in (*self.each, self.nginx):
            eventually(lambda place=place: send(place, "x", "GET", "/login/")[0] == 200, 90)

    def _start_host(self, number: int, port: int) -> list[subprocess.Popen]:
        """Start the web processes and the short worker of one machine, with a folder of its own."""
        home = self._folder / f"host{number}"
        home.mkdir()
        environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "DATABASE_URL": database_url(self._console.home),
            "CELERY_BROKER_URL": broker_url(self._console.home),
            "DJANGO_SECRET_KEY": _KEY,
            "DJANGO_ALLOWED_HOSTS": _NAME,
            # The users of this test log in with only a password.
            "HUBCONSOLE_SECOND_FACTOR": "offered",
            "HUBCONSOLE_BULK_GUARD": "none",
            "HUBCONSOLE_HOME": str(home),
            "HUBCONSOLE_TRUSTED_PROXIES": "127.0.0.1",
            "HUBCONSOLE_API_REQUESTS_PER_MINUTE": "1000000",
        }
        return [
            self._start("web", environment, "--bind", f"127.0.0.1:{port}"),
            self._start("short-worker", environment, "--hostname", f"short{number}@%h"),
        ]

    def _start(self, name: str, environment: dict[str, str], *options: str) -> subprocess.Popen:
        with (self._folder / f"{name}.log").open("ab") as log:
            self._started.append(
                subprocess.Popen(
                    [sys.executable, "-m", "hubconsole", "service", name, "--", *options],
                    cwd=REPOSITORY,
                    env=environment,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )
        return self._started[-1]

    def _start_nginx(self, ports: tuple[int, int]) -> None:
        nginx.make_certificate(self._folder, _NAME)
        file = nginx.write_configuration(self._folder, self._configuration(ports))
        command = [nginx.binary(self._folder / "package"), "-c", file, "-p", self._folder]
        self._started.append(subprocess.Popen(command, start_new_session=True))

    def _configuration(self, ports: tuple[int, int]) -> str:
        """Return deploy/nginx.conf, changed as the guide says, with ports and files of this test."""
        group, settings = re.findall(r"```nginx\n(.*?)```", _GUIDE.read_text(), re.DOTALL)
        text = group + (REPOSITORY / "deploy/nginx.conf").read_text()
        other = find_free_port()
        for word, own, times in (
            ("10.0.0.11:8000", f"127.0.0.1:{ports[0]}", 1),
            ("10.0.0.12:8000", f"127.0.0.1:{ports[1]}", 1),
            ("proxy_pass http://127.0.0.1:8000;", "proxy_pass http://hubconsole;", 3),
            ("proxy_read_timeout 75s;", f"proxy_read_timeout 75s; {settings}", 1),
            ("listen 443", f"listen 127.0.0.1:{self.port}", 2),
            ("listen 80", f"listen 127.0.0.1:{other}", 2),
            ("/etc/ssl/", f"{self._folder}/", 2),
            ("/var/log/nginx/", f"{self._folder}/", 1),
        ):
            assert text.count(word) == times, word
            text = text.replace(word, own)
        return text

    def kill_second(self) -> None:
        """Kill the second host's programs with all their processes."""
        for program in self.programs[1]:
            os.killpg(program.pid, signal.SIGKILL)

    def stop(self) -> None:
        for program in self._started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
            program.wait()

    def ask(self, statement: str) -> list[tuple]:
        with psycopg.connect(database_url(self._console.home)) as server:
            cursor = server.execute(statement)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture(scope="module")
def console(servers: Servers) -> Iterator[Console]:
    console = Console(servers.home)
    yield console
    console.remove()


@pytest.fixture(scope="module")
def hosts(console: Console, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    hosts = Hosts(console, tmp_path_factory.mktemp("nginx"))
    hosts.ask(_ROWS)
    yield hosts
    hosts.stop()


@pytest.fixture(scope="module")
def token(hosts: Hosts, console: Console) -> str:
    return console.run("create_token", "admin").stdout.strip()


def password(console: Console) -> str:
    return (console.home / "admin_password").read_text().strip()


class TestTwoWebHosts:
    def test_share_sessions(self, hosts: Hosts, console: Console):
        first, second = hosts.each
        browser = Browser()
        assert browser.log_in(first, "admin", password(console)) == 302

        assert browser.ask(second, "GET", "/messages/") == 200
        assert browser.ask(hosts.nginx, "GET", "/messages/") == 200
        assert browser.ask(second, "POST", "/logout/") == 302
        assert browser.ask(first, "GET", "/messages/") == 302

    def test_count_attempts_to_log_in_together(self, hosts: Hosts):
        # Five are free.
        statuses = [Browser().log_in(hosts.each[number % 2], "eve", "guess") for number in range(7)]

        assert statuses == [*[200] * 5, 429, 429]

    def test_act_once_for_one_key_that_both_get_at_the_same_time(self, hosts: Hosts, token: str):
        postponed = [
            row[0] for row in hosts.ask("SELECT msg_id FROM message WHERE state = 'POSTPONED' LIMIT 20")
        ]
        with ThreadPoolExecutor(2) as pool:
            for msg_id in postponed:
                path, key = f"/api/v1/messages/{msg_id}/cancel/", uuid.uuid4().hex
                body = {"reason": "both"}
                ask = partial(send, token=token, method="POST", path=path, body=body, key=key)
                answers = list(pool.map(ask, hosts.each))
                # 409 is of one that comes while the other works.
                assert {status for status, _ in answers} in ({200}, {200, 409})
                again = send(hosts.each[1], token, "POST", path, body, key)
                done = [json.loads(answer) for status, answer in (*answers, again) if status == 200]
                assert all(answer == done[0] for answer in done)
        assert hosts.ask(_CANCELLED) == [(20, 20)]

    def test_count_requests_together(self, hosts: Hosts, console: Console):
        limited = console.run("create_token", "admin", "--per-minute", "40").stdout.strip()

        def statuses() -> Counter[int]:
            places = [hosts.each[number % 2] for number in range(60)]
            return Counter(send(place, limited, "GET", "/api/v1/me/")[0] for place in places)

        def is_limited() -> bool:
            # A new minute may begin meanwhile; the rest of it is free of other requests.
            time.sleep(61 - time.time() % 60)
            return statuses() == {200: 40, 429: 20}

        assert is_limited() or is_limited()

    def test_lose_no_action_when_one_is_killed(self, hosts: Hosts, token: str):
        before = hosts.ask(_CANCELLED)[0][0]
        query = f"SELECT msg_id FROM message WHERE state = 'POSTPONED' ORDER BY msg_id LIMIT {_ACTIONS}"
        postponed = [row[0] for row in hosts.ask(query)]
        failed = [row[0] for row in hosts.ask("SELECT msg_id FROM message WHERE state = 'FAILED'")]
        clients = [Client(hosts.nginx, token, postponed[part::_CLIENTS]) for part in range(_CLIENTS)]
        with ThreadPoolExecutor(1) as pool:
            creating = pool.submit(self._create_jobs, hosts, token, failed)
            eventually(lambda: sum(len(client.answered) for client in clients) > 100, 60)

            hosts.kill_second()
            answered_before = sum(len(client.answered) for client in clients)
            was_creating = not creating.done()

            jobs = creating.result(120)
        for client in clients:
            client.thread.join(120)
        assert sum(len(client.answered) for client in clients) == _ACTIONS > answered_before
        assert was_creating
        statuses = sum((client.statuses for client in clients), Counter())
        # Requests that the dead host had begun are answered 502, and repeated.
        assert set(statuses) <= {200, 409, 502, 504, 0}
        assert statuses.total() > _ACTIONS
        # Each action once, whether or not its first answer was lost.
        assert hosts.ask(_CANCELLED) == [(before + _ACTIONS, before + _ACTIONS)]
        assert len(set(jobs)) == _JOBS
        eventually(lambda: hosts.ask("SELECT DISTINCT state FROM job") == [("done",)], 120)
        assert hosts.ask(
            "SELECT count(*), count(DISTINCT msg_id) FROM job_ledger WHERE outcome = 'done'"
        ) == [(80, 80)]
        # The short worker that is left counts the changes of both.
        eventually(lambda: hosts.ask("SELECT count(*) FROM message_change") == [(0,)], 60)

    @staticmethod
    def _create_jobs(hosts: Hosts, token: str, messages: list[int]) -> list[int]:
        """Create jobs of five messages each through nginx; a request without an answer is repeated."""
        created = []
        for part in range(_JOBS):
            key, until = uuid.uuid4().hex, time.monotonic() + 60
            body = {"kind": "restart", "filter": {"msg_id": messages[part::_JOBS]}, "reason": "a test"}
            status, answer = 0, b""
            while status not in {200, 201, 202} and time.monotonic() < until:
                status, answer = send(hosts.nginx, token, "POST", "/api/v1/jobs/", body, key)
            created.append(json.loads(answer)["job_id"])
        return created
