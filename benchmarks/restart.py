"""Measure a restart of many failed messages, compared with one bare UPDATE without plan and records."""

import statistics
import time
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.databases import fill_template, fresh_copy
from benchmarks.filling import fill_messages
from benchmarks.jobs import run_job
from messages_app.shared.message_states import MessageState

_UPDATE = """
UPDATE message
   SET state = %s, last_process_timestamp = clock_timestamp()
 WHERE state = %s
"""


def measure_restart(home: Path, *, messages: int, rounds: int) -> dict[str, float]:
    """Print the times, and return how many times as fast as the statement the job is."""
    fill_template(home, partial(_fill_failed, messages=messages))
    bare: list[float] = []
    jobs: list[float] = []
    fresh_copy(home)
    _run_job()
    for _ in range(rounds):
        bare.append(_run_update(fresh_copy(home)))
        fresh_copy(home)
        jobs.append(_run_job())
    total, update = statistics.median(jobs), statistics.median(bare)
    print(f"restart of {messages} messages: bare UPDATE {update:.1f} s ({min(bare):.1f} to {max(bare):.1f})")
    print(f"restart job: {total:.1f} s: {total / update:.2f} times")
    return {"restart, one bare UPDATE": update / total}


def _fill_failed(hub: psycopg.Cursor, *, messages: int) -> None:
    fill_messages(hub, messages=messages)
    hub.execute("UPDATE message SET state = %s, failed_error_code = 'E101'", [MessageState.FAILED])
    hub.execute("TRUNCATE message_event")


def _run_update(url: str) -> float:
    began = time.monotonic()
    with psycopg.connect(url, autocommit=True) as hub:
        hub.execute(_UPDATE, [MessageState.PARTLY_FAILED, MessageState.FAILED])
    return time.monotonic() - began


def _run_job() -> float:
    return run_job("restart", filter={"state": MessageState.FAILED}, options={})
