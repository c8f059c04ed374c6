"""Measure small jobs from the request to the first changed messages, and to the end."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import psycopg

from benchmarks.databases import fill_template, fresh_copy
from benchmarks.filling import fill_messages
from benchmarks.lists import compute_percentiles
from hubconsole.devserver import processes, progress

SIZES = (50, 500, 5_000)
# Each pair has the same messages, one job after the other.
PARTS = {"restart": ("restart", "cancel"), "archive": ("archive", "restore")}
_MESSAGES = 100_000
_STATES = {"restart": "FAILED", "archive": "OK"}

# Old enough for an archive job.
_MARK = """
UPDATE message
   SET state = %(state)s, object_id = %(mark)s, receive_timestamp = now() - interval '1 year',
       last_process_timestamp = now() - interval '1 year'
 WHERE msg_id IN (SELECT msg_id FROM message
                   WHERE parent_msg_id IS NULL
                     AND NOT EXISTS (SELECT FROM message AS child WHERE child.parent_msg_id = message.msg_id)
                   ORDER BY msg_id LIMIT %(size)s)
"""
# The server's clock is this machine's clock, as in time.time.
_TIMES = """
SELECT (SELECT extract(epoch FROM min(committed_at)) FROM job_chunk WHERE job_id = job.job_id),
       extract(epoch FROM finished_at), state, error,
       (SELECT sum((outcomes->>'done')::bigint) FROM job_chunk WHERE job_id = job.job_id)
  FROM job
 WHERE job_id = %s
"""
_ENDED = {"done", "failed", "stopped"}


class Times(NamedTuple):
    """Seconds after the request: until the first chunk was committed, and until the job had ended."""

    first: float
    end: float


def measure_jobs(home: Path, *, sizes: tuple[int, ...], jobs: int, parts: tuple[str, ...]) -> None:
    fill_template(home, partial(fill_messages, messages=_MESSAGES))
    url = fresh_copy(home)
    with psycopg.connect(url, autocommit=True) as hub, _run_worker(home, url):
        ask = _make_job_request()
        print(f"first job after a start, cold: {_first_job(hub, ask):.1f} s to its first message", flush=True)
        print(f"Spark is warm {_wait_until_warm():.1f} s later", flush=True)
        print("kind       messages  first p50 first p95   end p50   end p95", flush=True)
        for part in parts:
            for size in sizes:
                for kind, times in _measure_pair(hub, ask, part, size, jobs):
                    first, end = (compute_percentiles(list(column)) for column in zip(*times, strict=True))
                    columns = "".join(f"{value:>10.2f}" for value in (*first, *end))
                    print(f"{kind:<9} {size:>9} {columns}", flush=True)


def _measure_pair(
    hub: psycopg.Connection, ask, part: str, size: int, jobs: int
) -> Iterator[tuple[str, list[Times]]]:
    times: dict[str, list[Times]] = {kind: [] for kind in PARTS[part]}
    for number in range(jobs):
        mark = f"{part}-{size}-{number}"
        hub.execute(_MARK, {"state": _STATES[part], "mark": mark, "size": size})
        for kind in PARTS[part]:
            times[kind].append(_run_pair(hub, ask, kind, mark, size))
    yield from times.items()


def _first_job(hub: psycopg.Connection, ask) -> float:
    hub.execute(_MARK, {"state": "FAILED", "mark": "first", "size": 55})
    return _run_pair(hub, ask, "restart", "first", 55).first


def _run_pair(hub: psycopg.Connection, ask, kind: str, mark: str, size: int) -> Times:
    began = time.time()
    job_id = ask(kind, mark)
    while True:
        first, end, state, error, done = hub.execute(_TIMES, [job_id]).fetchone()
        if state in _ENDED:
            break
        time.sleep(0.02)
    if state != "done" or done != size:
        raise SystemExit(f"{kind} of {size}: {done} done, {state} {error}")
    return Times(float(first) - began, float(end) - began)


def _make_job_request():
    """Return a function that creates a job through the API, given its kind and the mark of its messages."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    from messages_app.access.token_services import create_token
    from messages_app.audit.services import SYSTEM

    user = get_user_model().objects.create_superuser("bench")
    _, key = create_token(user=user, name="bench", actor=SYSTEM)
    client = Client(headers={"Authorization": f"Token {key}"})

    def request_job(kind: str, mark: str) -> int:
        body = {"kind": kind, "filter": {"object_id": mark}, "reason": "benchmark"}
        answer = client.post(
            "/api/v1/jobs/", body, content_type="application/json", headers={"Host": "localhost"}
        )
        if answer.status_code != 202:
            raise SystemExit(answer.content.decode())
        return answer.json()["job_id"]

    return request_job


@contextmanager
def _run_worker(home: Path, url: str) -> Iterator[None]:
    """Run the worker of jobs as `up` does, next to the run's database."""
    from django.conf import settings

    from hubconsole.devserver import programs

    program = next(one for one in programs.worker_programs() if one.name == "spark-worker")
    ours = {"DATABASE_URL": url, "DJANGO_SECRET_KEY": settings.SECRET_KEY}
    environment = dict(program.environment) | ours
    started = processes.Process(replace(program, environment=environment), home)
    try:
        progress.wait_ready(started)
        yield
    finally:
        processes.end_all([started])


def _wait_until_warm() -> float:
    from hubconsole.celery import app

    began = time.monotonic()
    while not any(
        "warm" in each.values() for each in app.control.broadcast("spark_warmth", reply=True) or []
    ):
        time.sleep(0.2)
    return time.monotonic() - began
