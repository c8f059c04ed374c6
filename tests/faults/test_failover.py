"""The primary dies while a job and actions run, and its synchronous replica is promoted."""

import time
from collections.abc import Iterator

import psycopg
import pytest

from tests.faults.clients import Client, Place
from tests.faults.replicas import Replicas
from tests.hubconsole.console import Console
from tests.support.eventually import eventually
from tests.support.servers import Servers

pytestmark = pytest.mark.slow

_JOB_MESSAGES, _ACTIONS = 3_000, 600
_ROWS = """
INSERT INTO message (correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp, service_name,
                     source_system, state, operation_name, payload, failed_count)
SELECT state || n, old, old, old, 'billing', 'CRM', state, 'createInvoice', '<x/>', 3
  FROM (VALUES ('FAILED', %(failed)s), ('POSTPONED', %(postponed)s)) AS kinds (state, number)
 CROSS JOIN LATERAL generate_series(1, number) AS n
 CROSS JOIN (SELECT now() - interval '1 day' AS old) AS age
"""
_POSTPONED = "SELECT msg_id FROM message WHERE state = 'POSTPONED' ORDER BY msg_id"
_STATES = "SELECT state, count(*) FROM message GROUP BY state ORDER BY state"
_CANCELLED = """
SELECT count(*), count(DISTINCT msg_id) FROM audit_entry WHERE action = 'cancel' AND outcome = 'done'
"""
_OUTCOMES = "SELECT outcome, count(*), count(DISTINCT msg_id) FROM job_ledger GROUP BY outcome"
_DONE = "SELECT count(*) FROM job_ledger WHERE outcome = 'done'"


@pytest.fixture
def replicas(servers: Servers) -> Iterator[Replicas]:
    replicas = Replicas(servers.home)
    yield replicas
    replicas.stop()


@pytest.fixture
def console(servers: Servers, replicas: Replicas, monkeypatch: pytest.MonkeyPatch) -> Iterator[Console]:
    monkeypatch.setenv("DATABASE_URL", replicas.address)
    monkeypatch.setenv("DJANGO_SECRET_KEY", "for-this-test-only-" * 4)
    monkeypatch.setenv("HUBCONSOLE_JOB_HEARTBEAT_SECONDS", "0.5")
    monkeypatch.setenv("HUBCONSOLE_JOB_LEASE_SECONDS", "3")
    console = Console(servers.home)
    console.start("--no-demo", HUBCONSOLE_API_REQUESTS_PER_MINUTE="1000000", HUBCONSOLE_REQUEST_SECONDS="3")
    yield console
    console.remove()


class TestThePrimaryDies:
    def test_and_nothing_that_was_answered_is_lost(self, replicas: Replicas, console: Console):
        self._ask(replicas, _ROWS, {"failed": _JOB_MESSAGES, "postponed": _ACTIONS})
        token = console.run("create_token", "admin").stdout.strip()
        postponed = [msg_id for (msg_id,) in self._ask(replicas, _POSTPONED)]
        restart = ("restart", "state=FAILED", "--rate", "150", "--reason", "a test")
        assert console.run(*restart).returncode == 0
        eventually(lambda: self._ask(replicas, _DONE)[0][0] > 100, 120)

        clients = [Client(Place(console.port), token, postponed[part::2]) for part in range(2)]
        eventually(lambda: sum(len(client.answered) for client in clients) > 50, 60)
        replicas.cut_off_replica()
        # Longer than the limit of a request, which ends the wait for the replica but not the commit.
        time.sleep(5)
        replicas.kill_primary()
        time.sleep(2)  # the time in which an operator or a manager notices
        answered_before = sum(len(client.answered) for client in clients)
        replicas.promote_replica()

        for client in clients:
            client.thread.join(120)
        eventually(lambda: self._ask(replicas, "SELECT state FROM job") == [("done",)], 120)
        assert sum(len(client.answered) for client in clients) == _ACTIONS > answered_before
        # Without a database an answer is 503, or none; never another error.
        assert set().union(*(client.statuses for client in clients)) <= {200, 503, 0}
        assert self._ask(replicas, _STATES) == [("CANCEL", _ACTIONS), ("PARTLY_FAILED", _JOB_MESSAGES)]
        # Each action once, whether or not its first answer was lost.
        assert self._ask(replicas, _CANCELLED) == [(_ACTIONS, _ACTIONS)]
        assert self._ask(replicas, _OUTCOMES) == [("done", _JOB_MESSAGES, _JOB_MESSAGES)]

    @staticmethod
    def _ask(replicas: Replicas, statement: str, values: dict | None = None) -> list[tuple]:
        address = f"{replicas.address}?target_session_attrs=read-write"
        with psycopg.connect(address, connect_timeout=10) as server:
            cursor = server.execute(statement, values)
            return cursor.fetchall() if cursor.description else []
