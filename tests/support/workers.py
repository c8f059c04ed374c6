"""Bulk rows, and real Celery workers that a test may kill: `start_worker` is a fixture of every test."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.db import connection

BULK = """
WITH made AS (
  INSERT INTO message (correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp,
                       service_name, source_system, state, operation_name, payload, parent_msg_id)
  SELECT 'bulk-' || n, old, old, old, 'billing', 'CRM', 'OK', 'createInvoice', repeat('<x/>', 200), NULL
    FROM generate_series(1, %(messages)s) AS n,
         (SELECT now() - interval '100 days' AS old) AS age
  RETURNING msg_id, receive_timestamp, correlation_id
), sent AS (
  INSERT INTO request (msg_id, res_join_id, uri, req_envelope, req_timestamp)
  SELECT msg_id, correlation_id, 'http://billing.example/ws', repeat('<y/>', 100), receive_timestamp FROM made
  RETURNING req_id, req_timestamp
)
INSERT INTO response (req_id, res_envelope, res_timestamp)
SELECT req_id, '<z/>', req_timestamp FROM sent
"""


def make_old_messages(messages: int) -> None:
    """Store final messages older than any limit, each with a request and its response."""
    with connection.cursor() as cursor:
        cursor.execute(BULK, {"messages": messages})
        cursor.execute("ANALYZE message, request, response")


@pytest.fixture
def start_worker() -> Iterator[Callable[..., subprocess.Popen]]:
    """Give a function that starts a Celery worker of a queue, `spark` by default, with short leases."""
    workers: list[subprocess.Popen] = []

    def start(queue: str = "spark", jobs_at_once: int = 1, **environment: str) -> subprocess.Popen:
        workers.append(launch(queue, jobs_at_once, environment))
        return workers[-1]

    yield start
    for worker in workers:
        kill(worker)


@pytest.fixture(scope="module")
def worker(django_db_setup, spark_remote: str) -> Iterator[None]:
    """Keep one worker of jobs for all tests of a module that neither kill it nor ask how it was started."""
    worker = launch("spark", 2, {})
    yield
    kill(worker)


def launch(queue: str, jobs_at_once: int, environment: dict[str, str]) -> subprocess.Popen:
    """Start a worker of a queue on the database that Django uses. `kill` ends it."""
    celery = [sys.executable, "-m", "celery", "-A", "hubconsole", "worker", "-l", "INFO"]
    return subprocess.Popen(
        [*celery, "-Q", queue, "-c", str(jobs_at_once)],
        env=os.environ
        | database_of_tests()
        | {"HUBCONSOLE_PROCESS": f"{queue}-worker", "HUBCONSOLE_SPARK_WARM_UP": "off"}
        | environment,
        start_new_session=True,
    )


def kill(worker: subprocess.Popen) -> None:
    """End the worker and its children immediately, like a power cut."""
    if worker.poll() is None:
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()


def database_of_tests() -> dict[str, str]:
    """Return the environment in which another process works on this test's database."""
    database = connection.settings_dict
    return {
        "DATABASE_URL": "postgresql://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format(**database),
        "DJANGO_SECRET_KEY": settings.SECRET_KEY,
        "HUBCONSOLE_JOB_HEARTBEAT_SECONDS": "0.5",
        "HUBCONSOLE_JOB_LEASE_SECONDS": "3",
    }
