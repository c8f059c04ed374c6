"""
Distinguishes a slow program from one that hangs, by the work of its processes.

A clock cannot: on a busy machine a start takes minutes, and a program that hangs never ends. Work is what the
system counts (processor time, bytes read and written) and new lines of the log.
"""

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

import psutil

from hubconsole.devserver.processes import Process, log_path, log_tail
from messages_app.core.embedded_servers import CannotStart

QUIET_SECONDS = 60.0  # Without work for this long, a program hangs.
MAX_WORK_SECONDS = 900.0  # Processor time: fifty times that of an ordinary start. More is an endless loop.
# Idle servers use less of a processor than this: they wake up from time to time. Spark uses half of it.
_MIN_SHARE = 0.025
# On a busy machine less is work, too: this part of what each process gets.
_PART_OF_FAIR_SHARE = 0.25
_MIN_BYTES = 1_000_000
_SECONDS_BETWEEN = 1.0
# A machine that was paused, or a supervisor that did not run, gives the program no time to work. The longest
# question whether a program is ready takes 10 seconds.
_MAX_GAP = 15.0
_BUSY = 1.5  # processes that want to run, for each processor
AGAIN = "Run `up` again; what is stored is kept. If it stops at the same point, the log has the cause."


@dataclass(frozen=True)
class _Work:
    """Processor time and bytes of all processes of a program since its start."""

    seconds: float
    size: int


class Progress:
    """
    Observes a program from its start until it is ready.

    Args:
        quiet_seconds: the time without work after which it hangs.
    """

    def __init__(self, process: Process, *, quiet_seconds: float = QUIET_SECONDS) -> None:
        self._process = process
        self._limit = quiet_seconds
        self._looked_at = time.monotonic()
        self._quiet = 0.0
        self._before = self._now = _Work(0.0, 0)
        self._lines: set[str] = set()

    def measure_work(self) -> None:
        """Compare the work with that of earlier looks. Looks within a second are one."""
        now = time.monotonic()
        gap = now - self._looked_at
        if gap < min(_SECONDS_BETWEEN, self._limit / 4):
            return
        self._looked_at = now
        self._now = _work_of(self._process, at_least=self._now)
        if self._has_worked() or self._has_new_line():
            self._before, self._quiet = self._now, 0.0
        else:
            self._quiet += min(gap, _MAX_GAP)

    def describe(self) -> str:
        """Return what it does, for a user who waits: `it does not listen yet (43 s, 4 s of CPU time)`."""
        waited = time.monotonic() - self._process.started
        return f"{self._process.program.describe()} ({waited:.0f} s, {self._now.seconds:.0f} s of CPU time)"

    def why_hopeless(self) -> str | None:
        """Say in one line why waiting longer is useless, and what to do; None while it makes progress."""
        name = self._process.program.name
        if self._quiet >= self._limit:
            if stopped := _find_stopped(self._process):
                return (
                    f"{name} was stopped by a signal and has done nothing for {self._quiet:.0f} s:"
                    f" `kill -CONT {stopped}` continues it. {AGAIN}"
                )
            why = f"has made no progress for {self._quiet:.0f} s"
        elif self._now.seconds >= MAX_WORK_SECONDS:
            why = f"is not ready after {self._now.seconds:.0f} s of CPU time"
        else:
            return None
        return f"{name} {why}: {self._process.program.describe()}; {last_words(self._process)}. {AGAIN}"

    def _has_worked(self) -> bool:
        return (
            self._now.seconds - self._before.seconds >= _least_share() * self._limit
            or self._now.size - self._before.size >= _MIN_BYTES
        )

    def _has_new_line(self) -> bool:
        """Whether the log has a line of a new kind. A server that refuses each question repeats one line."""
        lines = log_tail(self._process.home, self._process.program.name).splitlines()
        kinds = {re.sub(r"[\d.:]+", "0", line) for line in lines[1:] or lines}
        is_new = not kinds <= self._lines
        self._lines |= kinds
        return is_new


def wait_ready(process: Process, *, quiet_seconds: float = QUIET_SECONDS) -> None:
    """
    Wait until `process` is ready, as long as it makes progress.

    Raises:
        CannotStart: it ended or hangs. The message has the last line of its log.
    """
    program, progress = process.program, Progress(process, quiet_seconds=quiet_seconds)
    while program.is_ready and not program.is_ready():
        if (status := process.exit_status) is not None:
            raise CannotStart(why_ended(process, status))
        progress.measure_work()
        if why := progress.why_hopeless():
            raise CannotStart(why)
        time.sleep(0.1)


def why_ended(process: Process, status: int) -> str:
    """Say in one line that a program ended before it was ready, why, and what to do."""
    if reason := process.program.explain():
        return reason
    return (
        f"{process.program.name} stopped at startup (status {status}): {last_words(process)}."
        " Correct this, then run `up` again."
    )


def last_words(process: Process) -> str:
    """Return the last line of the log, and its path."""
    lines = log_tail(process.home, process.program.name).strip().splitlines()
    return f"{lines[-1] if lines else 'it wrote nothing'} ({log_path(process.home, process.program.name)})"


def describe_load() -> str:
    """Return a clause about a machine with more work than processors; empty on another."""
    load, processors = _read_load()
    if load < _BUSY * processors:
        return ""
    return f"; the machine is busy: {load:.0f} processes for {processors} processors"


def _read_load() -> tuple[float, int]:
    """Return how many processes wanted to run in the last minute, and the processors."""
    return os.getloadavg()[0], os.cpu_count() or 1


def _least_share() -> float:
    load, processors = _read_load()
    return min(_MIN_SHARE, _PART_OF_FAIR_SHARE * processors / max(load, 1.0))


def _work_of(process: Process, *, at_least: _Work) -> _Work:
    """Add up the work of the process tree. Work of children that no one waited for is lost."""
    seconds, size = 0.0, 0
    for handle in _iterate_tree(process.handle):
        try:
            times = handle.cpu_times()
            seconds += times.user + times.system
            seconds += getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
            size += _bytes_of(handle)
        except psutil.Error:  # It has just ended.
            continue
    return _Work(max(seconds, at_least.seconds), max(size, at_least.size))


def _bytes_of(handle: psutil.Process) -> int:
    try:
        counters = handle.io_counters()
    except (AttributeError, NotImplementedError, psutil.AccessDenied):  # Not on every system.
        return 0
    return counters.read_bytes + counters.write_bytes


def _find_stopped(process: Process) -> int | None:
    """Return the first process of the tree that a signal has stopped."""
    for handle in _iterate_tree(process.handle):
        try:
            if handle.status() == psutil.STATUS_STOPPED:
                return handle.pid
        except psutil.Error:
            continue
    return None


def _iterate_tree(leader: psutil.Process) -> Iterator[psutil.Process]:
    yield leader
    try:
        yield from leader.children(recursive=True)
    except psutil.Error:
        return
