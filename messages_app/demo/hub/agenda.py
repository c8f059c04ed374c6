"""
Schedules pieces of work, each a generator that yields the seconds until it continues.

One thread and one connection simulate all of the hub's threads: the steps of different messages interleave,
and the console can write in between, as in a real hub.
"""

import heapq
import logging
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import TypeVar

from django.db import Error

from messages_app.demo.hub.database import is_busy, is_lost

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")
Steps = Generator[float, None, Answer]

# While another session holds a row that a step needs, other work continues.
_BUSY_PAUSE = 0.05
# Late work catches up on at most this many seconds.
_MAX_LATE = 1.0


@dataclass(order=True)
class _Entry:
    due: float
    number: int
    steps: Steps = field(compare=False)


class Agenda:
    """The pieces of work in progress, each with the time at which it continues."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []
        self._number = 0

    def add(self, steps: Steps, *, at: float | None = None) -> None:
        """Continue this work at that time (monotonic seconds), by default immediately."""
        self._number += 1
        heapq.heappush(self._entries, _Entry(monotonic() if at is None else at, self._number, steps))

    def seconds_left(self) -> float:
        """Return the seconds until something is due; infinity if nothing is in progress."""
        return self._entries[0].due - monotonic() if self._entries else float("inf")

    def step(self) -> None:
        """Do one step of the work that is due first."""
        entry = heapq.heappop(self._entries)
        try:
            pause = next(entry.steps)
        except StopIteration:
            return
        self.add(entry.steps, at=max(entry.due, monotonic() - _MAX_LATE) + pause)

    def clear(self) -> None:
        self._entries.clear()


class Workers:
    """The hub's worker threads and the queue in its memory, which are lost with the process."""

    def __init__(self, agenda: Agenda, *, count: int, queue: int, broken: list[Error]) -> None:
        self._agenda = agenda
        self._broken = broken
        self._count = count
        self._queue_size = queue
        self._queue: deque[Callable[[], Steps]] = deque()
        self._busy = 0

    @property
    def has_free_worker(self) -> bool:
        return len(self._queue) < self._queue_size

    @property
    def is_idle(self) -> bool:
        return not self._busy

    def enqueue(self, work: Callable[[], Steps]) -> None:
        """Let the next free worker do this."""
        self._queue.append(work)
        if self._busy < self._count:
            self._busy += 1
            self._agenda.add(self._work())

    def forget(self) -> None:
        """Forget the queue; running work continues."""
        self._queue.clear()

    def _work(self) -> Steps:
        try:
            while self._queue:
                yield from self._guard_work(self._queue.popleft())
        finally:
            self._busy -= 1

    def _guard_work(self, work: Callable[[], Steps]) -> Steps:
        """Let an error of the database end only this work; the repair takes its message later."""
        try:
            yield from work()
        except Error as error:
            if is_lost(error):
                raise
            self._broken.append(error)
            logger.exception("A route broke; the repair takes its message up.")


def retry_while_busy(step: Callable[[], Answer]) -> Steps:
    """Do one transaction, repeat it while another session holds the rows that it needs; return its result."""
    while True:
        try:
            return step()
        except Error as error:
            if not is_busy(error):
                raise
        yield _BUSY_PAUSE


def repeat_every(seconds: float, work: Callable[[], Iterator[float]]) -> Steps:
    """Do this work, and repeat it this many seconds after each end."""
    while True:
        yield from work()
        yield seconds
