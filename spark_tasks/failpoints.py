"""
Named steps of a job at which a fault test can stop, kill or break the process.

Always off in a process that was started without HUBCONSOLE_FAILPOINTS, the path of a test's folder. In that
folder the test writes a file named after the step, with an order ("kill", "wait 2": at the second time). Each
process that reaches the step appends its id as a line to <step>.reached.

Source: docs/contributing/faults.md, "Steps".
"""

import os
import signal
import time
from enum import StrEnum
from pathlib import Path

VARIABLE = "HUBCONSOLE_FAILPOINTS"

# If a test dies, processes must not wait for it forever.
_MAX_WAIT = 60.0  # seconds
_ASK_AGAIN = 0.02  # seconds


class Step(StrEnum):
    """Every step of a job that has a failpoint, in the order of a job."""

    ACCEPTED = "accepted"  # The job is committed; no worker has been notified.
    CLAIMED = "claimed"  # A worker has the lease.
    CLEARING = "clearing"  # A worker is about to plan, and to remove the rest of an earlier plan.
    PART_BEGUN = "part-begun"  # An executor has read a part of the plan.
    PART_WRITTEN = "part-written"  # Its items are written, not committed.
    PART_COMMITTED = "part-committed"
    PLANNED = "planned"  # All parts are committed; the job's state is still "planning".
    QUEUED = "queued"
    RUNNING = "running"  # The chunks are about to be distributed.
    SLICE_BEGUN = "slice-begun"  # An executor has an empty transaction.
    SLICE_LOCKED = "slice-locked"  # It holds the job's fence and its chunk.
    FILE_WRITTEN = "file-written"  # Under a name that no one reads.
    FILE_NAMED = "file-named"  # Under its final name; the ledger does not have it.
    SLICE_ACTED = "slice-acted"  # The messages are changed, the ledger is not.
    SLICE_BOOKED = "slice-booked"  # Ledger and audit log are written, nothing is committed.
    SLICE_COMMITTED = "slice-committed"
    WORKED_OFF = "worked-off"  # The executors have answered.
    ENDING = "ending"  # All chunks are done; the job's state is still "running".
    ENDED = "ended"


class Order(StrEnum):
    """The order for a process that reaches a step."""

    KILL = "kill"  # It ends immediately.
    WAIT = "wait"  # It waits until the file <step>.go exists.


def pass_failpoint(step: Step) -> None:
    """Execute the test's order for this step. Does nothing without a test."""
    if _FOLDER is not None:
        _obey_order(_FOLDER, step)


def _folder_of_orders() -> Path | None:
    named = os.environ.get(VARIABLE)
    return Path(named) if named and Path(named).is_dir() else None


_FOLDER = _folder_of_orders()


def _obey_order(folder: Path, step: Step) -> None:
    time_no = _note_reached(folder / f"{step}.reached")
    order, wanted_no = _read_order(folder / step)
    if order is None or time_no != wanted_no:
        return
    if order is Order.KILL:
        os.kill(os.getpid(), signal.SIGKILL)
    else:
        _wait_for(folder / f"{step}.go")


def _note_reached(path: Path) -> int:
    """Append our process id to the file, and return the line number, which is unique."""
    line = b"%10d\n" % os.getpid()
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        os.write(file, line)
        return os.lseek(file, 0, os.SEEK_CUR) // len(line)
    finally:
        os.close(file)


def _read_order(path: Path) -> tuple[Order | None, int]:
    try:
        order, _, number = path.read_text().partition(" ")
    except FileNotFoundError:
        return None, 0
    return Order(order), int(number or 1)


def _wait_for(path: Path) -> None:
    end = time.monotonic() + _MAX_WAIT
    while not path.exists() and path.parent.is_dir() and time.monotonic() < end:
        time.sleep(_ASK_AGAIN)
