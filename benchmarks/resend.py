"""
Measure a job that corrects and resends many failed messages, next to a restart of the same messages.

A restart writes one column of each message. A resend reads its payload, stores a new message with all columns
and the link, and cancels the original.
"""

import re
import statistics
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil
import psycopg

from benchmarks.analysis import fill_orders
from benchmarks.databases import fill_template, fresh_copy
from benchmarks.jobs import run_job
from messages_app.shared.message_states import MessageState

# The options of each job. An order has the text once, and one value of the path.
CHANGES: Mapping[str, Mapping[str, str]] = {
    "find": {"find": "<b:Currency>CHF<", "replace": "<b:Currency>EUR<"},
    "path": {"path": "//Currency", "value": "EUR"},
}
PARTS = (*CHANGES, "restart")
_PEAK = re.compile(r"VmHWM:\s+(\d+) kB")
_FAILED = {"state": MessageState.FAILED}
_SENT = """
SELECT count(*)
  FROM resent_message
  JOIN message ON message.msg_id = resent_message.msg_id
  JOIN message AS original ON original.msg_id = resent_message.original_id
 WHERE message.payload = replace(original.payload, '<b:Currency>CHF<', '<b:Currency>EUR<')
   AND message.payload <> original.payload
   AND message.state = %(sent)s
   AND original.state = %(cancelled)s
"""
_STATES_OF_RESENT = {"sent": MessageState.POSTPONED, "cancelled": MessageState.CANCEL}


def measure_resend(home: Path, *, messages: int, rounds: int, parts: tuple[str, ...]) -> None:
    """Print the rates of the jobs, and the memory of the largest task."""
    fill_template(home, partial(_fill_failed, messages=messages))
    fresh_copy(home)
    run_job("restart", filter=_FAILED | {"service_name": "service-0"}, options={})
    for part in parts:
        seconds = [_measure_job(home, part, messages) for _ in range(rounds)]
        middle = statistics.median(seconds)
        print(
            f"{part}: {messages} messages in {middle:.1f} s ({min(seconds):.1f} to {max(seconds):.1f}),"
            f" {messages / middle:.0f} messages a second; task {_task_megabytes():.0f} MB",
            flush=True,
        )


def _fill_failed(hub: psycopg.Cursor, *, messages: int) -> None:
    """Insert orders, of which half failed, with ids that the sequence does not give again."""
    fill_orders(hub, messages=2 * messages)
    hub.execute("SELECT setval('hibernate_sequence', max(msg_id)) FROM message")


def _measure_job(home: Path, part: str, messages: int) -> float:
    url = fresh_copy(home)
    if part == "restart":
        return run_job("restart", filter=_FAILED, options={})
    seconds = run_job("resend", filter=_FAILED, options=CHANGES[part])
    with psycopg.connect(url) as hub:
        (sent,) = hub.execute(_SENT, _STATES_OF_RESENT).fetchone() or (0,)
    if sent != messages:
        raise SystemExit(f"{sent} messages were sent, not {messages}.")
    return seconds


def _task_megabytes() -> float:
    """Return the largest memory that any Python process of Spark has had, with the code that they share."""
    peaks = [0]
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess, FileNotFoundError):
            if "pyspark.worker" in child.cmdline():
                peaks += map(int, _PEAK.findall(Path(f"/proc/{child.pid}/status").read_text()))
    return max(peaks) / 1000
