"""Two web hosts behind nginx share sessions, limits and idempotency keys, and one of them dies."""

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.parse
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import psycopg
import pytest

from hubconsole import embedded
from hubconsole.embedded import endpoint
from tests.faults.clients import Client, send
from tests.hubconsole.console import REPOSITORY, Console
from tests.support import nginx
from tests.support.eventually import eventually
from tests.support.servers import Servers

pytestmark = pytest.mark.slow

_PER_MINUTE, _ACTIONS, _JOBS = 1_000_000, 500, 8
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
_SERVER = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  {upstream}
  server {{
    listen 127.0.0.1:{port};
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $remote_addr;
    {settings}
    location / {{ proxy_pass http://hubconsole; }}
  }}
}}
"""


class Hosts:
    """Two web processes and two short workers with one database, and nginx before them."""

    def __init__(self, console: Console, folder: Path) -> None:
        self._console, self._started = console, []
        console.start("--no-demo", HUBCONSOLE_API_REQUESTS_PER_MINUTE=str(_PER_MINUTE))
        self.ports = (console.port, endpoint.free_port())
        programs = REPOSITORY / "deploy"
        self.web = self._start(programs / "web", {"127.0.0.1:8000": f"127.0.0.1:{self.ports[1]}"})
        self.worker = self._start(programs / "short-worker", {"short@%h": "short-of-second@%h"})
        self.port = endpoint.free_port()
        (folder / "nginx.conf").write_text(self._configuration(folder))
        program = nginx.binary(folder / "package")
        command = [program, "-c", folder / "nginx.conf", "-p", folder]
        self._started.append(subprocess.Popen(command, start_new_session=True))
        for port in (*self.ports, self.port):
            eventually(lambda port=port: send(port, "", "GET", "/login/")[0] == 200, 90)

    def _start(self, program: Path, changes: dict[str, str]) -> subprocess.Popen:
        command = program.read_text()
        for word, own in changes.items():
            assert word in command
            command = command.replace(word, own)
        environment = self._console.environment(HUBCONSOLE_API_REQUESTS_PER_MINUTE=str(_PER_MINUTE))
        environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
        self._started.append(
            subprocess.Popen(
                ["sh", "-c", command.replace(".venv/bin/", "")],
                cwd=REPOSITORY,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )
        return self._started[-1]

    def _configuration(self, folder: Path) -> str:
        """Return nginx's configuration, with both pieces of the guide."""
        pieces = re.findall(r"```nginx\n(.*?)```", _GUIDE.read_text(), re.DOTALL)
        upstream, settings = pieces
        for number, port in zip((11, 12), self.ports, strict=True):
            upstream = upstream.replace(f"10.0.0.{number}:8000", f"127.0.0.1:{port}")
        return _SERVER.format(folder=folder, port=self.port, upstream=upstream, settings=settings)

    def kill_second(self) -> None:
        """Kill the second host's programs with all their processes."""
        for program in (self.web, self.worker):
            os.killpg(program.pid, signal.SIGKILL)

    def stop(self) -> None:
        for program in self._started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
            program.wait()

    def ask(self, statement: str) -> list[tuple]:
        with psycopg.connect(embedded.database_url(self._console.home)) as server:
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


class Browser:
    """The cookies of one user, sent to any host."""

    def __init__(self) -> None:
        self._cookies: dict[str, str] = {}

    def ask(self, port: int, method: str, path: str, **fields: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
        if method == "POST":
            fields["csrfmiddlewaretoken"] = self._cookies["csrftoken"]
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, urllib.parse.urlencode(fields) or None, headers)
        answer = connection.getresponse()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self._cookies[name] = value
        body = answer.read().decode()
        connection.close()
        return answer.status, body


def password(console: Console) -> str:
    return (console.home / "admin_password").read_text().strip()


class TestTwoWebHosts:
    def test_share_sessions(self, hosts: Hosts, console: Console):
        first, second = hosts.ports
        browser = Browser()
        browser.ask(first, "GET", "/login/")
        browser.ask(first, "POST", "/login/", username="admin", password=password(console))

        assert browser.ask(second, "GET", "/messages/")[0] == 200
        assert browser.ask(second, "POST", "/logout/")[0] == 302
        assert browser.ask(first, "GET", "/messages/")[0] == 302

    def test_act_once_for_one_key_that_both_get_at_once(self, hosts: Hosts, token: str):
        postponed = [
            row[0] for row in hosts.ask("SELECT msg_id FROM message WHERE state = 'POSTPONED' LIMIT 20")
        ]
        with ThreadPoolExecutor(2) as pool:
            for msg_id in postponed:
                path, key = f"/api/v1/messages/{msg_id}/cancel/", uuid.uuid4().hex
                body = {"reason": "both"}
                ask = partial(send, token=token, method="POST", path=path, body=body, key=key)
                answers = list(pool.map(ask, hosts.ports))
                # 409 is of one that comes while the other works.
                assert {status for status, _ in answers} in ({200}, {200, 409})
                again = send(hosts.ports[1], token, "POST", path, body, key)
                done = [json.loads(answer) for status, answer in (*answers, again) if status == 200]
                assert all(answer == done[0] for answer in done)
        assert hosts.ask(_CANCELLED) == [(20, 20)]

    def test_count_requests_together(self, hosts: Hosts, console: Console):
        limited = console.run("create_token", "admin", "--per-minute", "40").stdout.strip()

        def statuses() -> Counter[int]:
            ports = [hosts.ports[number % 2] for number in range(60)]
            return Counter(send(port, limited, "GET", "/api/v1/me/")[0] for port in ports)

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
        jobs = self._create_jobs(hosts, token, failed[:40])
        clients = [Client(hosts.port, token, postponed[part::2]) for part in range(2)]
        eventually(lambda: sum(len(client.answered) for client in clients) > 100, 60)

        hosts.kill_second()

        jobs += self._create_jobs(hosts, token, failed[40:])
        for client in clients:
            client.thread.join(120)
        assert sum(len(client.answered) for client in clients) == _ACTIONS
        assert set().union(*(client.statuses for client in clients)) <= {200, 409, 502, 504, 0}
        # Each action once, whether or not its first answer was lost.
        assert hosts.ask(_CANCELLED) == [(before + _ACTIONS, before + _ACTIONS)]
        assert len(set(jobs)) == 2 * _JOBS
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
                status, answer = send(hosts.port, token, "POST", "/api/v1/jobs/", body, key)
            created.append(json.loads(answer)["job_id"])
        return created
