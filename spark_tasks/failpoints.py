"""
Named steps of a job at which a fault test may stop, kill or break the process that does it.

Off permanently in a process that was started without HUBCONSOLE_FAILPOINTS, the path of a test's folder.
There the test writes a file named for the step, with an order ("kill", "wait 2": at the second time); each
process that comes to the step adds its id to <step>.reached, a line each.

Source: docs/faults.md, "Steps".
"""

import os
import signal
import time
from enum import StrEnum
from pathlib import Path

VARIABLE = "HUBCONSOLE_FAILPOINTS"

# A test that died must not leave processes behind that wait for it.
_LONGEST_WAIT = 60.0  # seconds
_ASK_AGAIN = 0.02  # seconds


class Step(StrEnum):
    """Every step of a job that has a failpoint, in the order of a job."""

    ACCEPTED = "accepted"  # the job is committed, no one is told yet
    CLAIMED = "claimed"  # a worker has the lease
    CLEARING = "clearing"  # a worker is about to plan, and to remove what is left of an earlier plan
    PART_BEGUN = "part-begun"  # an executor has read a part of the plan
    PART_WRITTEN = "part-written"  # its items are written, not committed
    PART_COMMITTED = "part-committed"
    PLANNED = "planned"  # all parts are committed, the job still says that it is being planned
    QUEUED = "queued"
    RUNNING = "running"  # the chunks are about to be handed out
    SLICE_BEGUN = "slice-begun"  # an executor has a transaction, and nothing in it
    SLICE_LOCKED = "slice-locked"  # it holds the job's fence and its chunk
    FILE_WRITTEN = "file-written"  # under a name that no one reads
    FILE_NAMED = "file-named"  # under its own name; the ledger does not know of it
    SLICE_ACTED = "slice-acted"  # the messages are changed, the ledger is not
    SLICE_BOOKED = "slice-booked"  # ledger and audit are written, nothing is committed
    SLICE_COMMITTED = "slice-committed"
    WORKED_OFF = "worked-off"  # the executors have answered
    ENDING = "ending"  # no chunk is left, the job still says that it runs
    ENDED = "ended"


class Order(StrEnum):
    """What happens to the process that comes to a step."""

    KILL = "kill"  # it is gone at once
    WAIT = "wait"  # it waits until there is a file <step>.go


def failpoint(step: Step) -> None:
    """Do what a test ordered for this step; without a test, nothing."""
    if _FOLDER is not None:
        _obey(_FOLDER, step)


def _folder() -> Path | None:
    named = os.environ.get(VARIABLE)
    return Path(named) if named and Path(named).is_dir() else None


_FOLDER = _folder()


def _obey(folder: Path, step: Step) -> None:
    time_no = _note(folder / f"{step}.reached")
    order, wanted_no = _ordered(folder / step)
    if order is None or time_no != wanted_no:
        return
    if order is Order.KILL:
        os.kill(os.getpid(), signal.SIGKILL)
    else:
        _wait_for(folder / f"{step}.go")


def _note(path: Path) -> int:
    """Add our process id to the file, and return which line it is: no two processes get the same."""
    line = b"%10d\n" % os.getpid()
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        os.write(file, line)
        return os.lseek(file, 0, os.SEEK_CUR) // len(line)
    finally:
        os.close(file)


def _ordered(path: Path) -> tuple[Order | None, int]:
    try:
        order, _, number = path.read_text().partition(" ")
    except FileNotFoundError:
        return None, 0
    return Order(order), int(number or 1)


def _wait_for(path: Path) -> None:
    end = time.monotonic() + _LONGEST_WAIT
    while not path.exists() and path.parent.is_dir() and time.monotonic() < end:
        time.sleep(_ASK_AGAIN)
