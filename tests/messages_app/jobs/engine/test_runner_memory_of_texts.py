"""
Texts of 20 MB in every kind of job that reads or moves them, with limits for all processes at the same time:
the worker, the tasks of Spark and the web server.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.db import connection

from messages_app.jobs.models import Job
from messages_app.jobs.selectors import job_progress
from messages_app.shared.job_states import FINAL_STATES, JobState
from tests.support.children import child_by_command
from tests.support.eventually import eventually
from tests.support.jobs import new_job
from tests.support.memory import lift_limit, limit_memory
from tests.support.web_server import Address, Web, web_server

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

TEXTS, A_TEXT = 20, 20_400_000  # 408 MB
# For the worker less than all texts; for one task more than a text, which Parquet needs several times; for a
# web process.
MAX_BYTES_OF_WORKER, MAX_BYTES_OF_TASK, MAX_BYTES_OF_WEB = 300_000_000, 700_000_000, 240_000_000

FILL = """
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp,
                     service_name, source_system, state, operation_name, payload)
SELECT nextval('hibernate_sequence'), %(source)s || n, at, at, at, 'billing', %(source)s, 'OK', 'op',
       repeat(md5(n::text) || 'ž', %(bytes)s / 34)
  FROM generate_series(1, %(count)s) AS n, (SELECT now() - interval '100 days' AS at) AS age
RETURNING msg_id, md5(payload)
"""
DIGESTS = "SELECT msg_id, md5(payload) FROM message WHERE source_system = %s"


@pytest.fixture
def folder(settings, monkeypatch, tmp_path) -> None:
    """Archive to a folder, here and in the processes of the test."""
    settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
    monkeypatch.setenv("HUBCONSOLE_ARCHIVE_URI", settings.HUBCONSOLE_ARCHIVE_URI)


@pytest.fixture
def web(folder, tmp_path) -> Iterator[Web]:
    with web_server(tmp_path) as running:
        yield running


@contextmanager
def limited_tasks() -> Iterator[None]:
    """Limit the process that Spark's tasks are forked from, which other tests use."""
    daemon = child_by_command(os.getpid(), "preloading_daemon").pid
    limit_memory(daemon, MAX_BYTES_OF_TASK)
    try:
        yield
    finally:
        lift_limit(daemon)


def fill(source: str, *, count: int, size: int) -> dict[int, str]:
    with connection.cursor() as cursor:
        cursor.execute(FILL, {"source": source, "count": count, "bytes": size})
        return dict(cursor.fetchall())


def every_job(source: str, count: int) -> None:
    """Move the messages to tables and back, to files and back, and export them."""
    archived = {"archived": "true", "source_system": source}
    live = {"source_system": source}
    ended("archive", live, count)
    ended("restore", archived, count)
    ended("archive", live, count, to="parquet")
    ended("restore", archived, count)
    for format in ("csv", "jsonl", "parquet"):
        ended("export", live, count, format=format, payload=True)


def ended(kind: str, filter: dict[str, object], count: int, **options: object) -> None:
    job = new_job(kind, filter, **options)
    eventually(lambda: Job.objects.get(pk=job.pk).state in FINAL_STATES, 150)
    progress = job_progress(job.pk)
    assert (kind, options, progress.job.state, progress.job.error) == (kind, options, JobState.DONE, "")
    assert progress.done == count


def addresses_of(msg_id: int) -> list[Address]:
    return [
        Address(f"/messages/{msg_id}/payload/", is_api=False),
        Address(f"/messages/{msg_id}/payload/download/", is_api=False),
        Address(f"/api/v1/messages/{msg_id}/payload/", is_api=True),
    ]


def test_texts_of_20_megabytes_pass_through_every_job_and_the_pages_in_little_memory(
    web, start_worker, spark_remote
):
    (small, *_) = fill("SMALL", count=10, size=1_000)
    (kept,) = fill("KEPT", count=1, size=A_TEXT)
    digests = fill("LARGE", count=TEXTS, size=A_TEXT)
    worker = start_worker()
    web.load(addresses_of(small))
    every_job("SMALL", 10)

    limit_memory(worker.pid, MAX_BYTES_OF_WORKER)
    web.limit(MAX_BYTES_OF_WEB)
    with limited_tasks(), ThreadPoolExecutor(1) as reader:
        answers = reader.submit(lambda: [web.get_all(addresses_of(kept) * 4) for _ in range(5)])
        every_job("LARGE", TEXTS)

    with connection.cursor() as cursor:
        cursor.execute(DIGESTS, ["LARGE"])
        assert dict(cursor.fetchall()) == digests
    assert {answer.status for round in answers.result() for answer in round} == {200}
