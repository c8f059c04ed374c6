"""
Ends work that takes too long, and not the process that does it.

A watching thread raises an exception in the working thread, and cancels the statement that it waits for.
Python raises it between two instructions: a single long call into C (a regular expression, a parser) is not
interrupted, so the input of such calls has limits of its own.
"""

import ctypes
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import psycopg
from django.db import connections
from psycopg.pq import TransactionStatus

_CANCEL_SECONDS = 2.0
_AGAIN_SECONDS = 5.0

logger = logging.getLogger(__name__)


class TimeIsOver(BaseException):
    """Raised anywhere within limited work; not an Exception, so that no handler on the way swallows it."""


class WorkLimit:
    """
    The limit of one piece of work.

    Attributes:
        is_over: whether the work was ended.
        is_done: whether it has left its block.
    """

    def __init__(self, seconds: float, error: type[TimeIsOver]) -> None:
        self.deadline = monotonic() + seconds
        self.is_over = False
        self._error = error
        self._thread = threading.get_ident()
        self._connection = connections["default"]  # the thread's own
        self._lock = threading.Lock()
        self.is_done = False

    def postpone(self, seconds: float) -> None:
        """Allow so many seconds more, for work that waits for something else."""
        _watch.postpone(self, seconds)

    def end_work(self) -> None:
        """Raise the error in the thread that works, unless it is done."""
        with self._lock:
            if self.is_done:
                return
            self.is_over = True
            # Asked first: what the thread sends after the error, such as a rollback, must not be cancelled.
            session = self._connection.connection
            is_waiting = session is not None and _has_statement(session)
            _raise_in(self._thread, self._error)
            if is_waiting:
                _cancel_statement(session)

    def finish(self) -> None:
        """Mark the work as done, and take back an error that was raised but has not arrived yet."""
        with self._lock:
            self.is_done = True
        if self.is_over:
            _raise_in(self._thread, None)


class _Watch:
    """The thread of this process that watches all limits; the first limit starts it."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin anew in a process that was forked: threads are not."""
        self._changed = threading.Condition()
        self._limits: set[WorkLimit] = set()
        self._is_started = False

    def add(self, limit: WorkLimit) -> None:
        with self._changed:
            if not self._is_started:
                self._is_started = True
                threading.Thread(target=self._run, name="work-limits", daemon=True).start()
            is_first = all(limit.deadline < other.deadline for other in self._limits)
            self._limits.add(limit)
            if is_first:
                self._changed.notify()

    def postpone(self, limit: WorkLimit, seconds: float) -> None:
        with self._changed:
            limit.deadline += seconds

    def discard(self, limit: WorkLimit) -> None:
        with self._changed:
            self._limits.discard(limit)

    def _run(self) -> None:
        while True:
            limit = self._next()
            limit.end_work()
            self._look_again(limit)

    def _look_again(self, limit: WorkLimit) -> None:
        """Raise again later: an error that meets a callback of the garbage collector is lost."""
        with self._changed:
            if not limit.is_done:
                limit.deadline = monotonic() + _AGAIN_SECONDS
                self._limits.add(limit)

    def _next(self) -> WorkLimit:
        """Wait until a deadline has passed, and return whose it is."""
        with self._changed:
            while True:
                first = min(self._limits, key=lambda limit: limit.deadline, default=None)
                seconds = None if first is None else first.deadline - monotonic()
                if first is not None and seconds <= 0:
                    self._limits.discard(first)
                    return first
                self._changed.wait(seconds)


_watch = _Watch()
os.register_at_fork(after_in_child=_watch.reset)


@contextmanager
def work_limit(seconds: float, *, error: type[TimeIsOver] = TimeIsOver) -> Iterator[WorkLimit]:
    """
    Raise `error` in the block when it takes longer than `seconds`.

    Raises:
        TimeIsOver: `error`, out of the block; transactions inside it are rolled back.
    """
    limit = WorkLimit(seconds, error)
    try:
        _watch.add(limit)
        yield limit
    finally:
        _watch.discard(limit)
        limit.finish()


def _has_statement(session: psycopg.Connection) -> bool:
    try:
        return session.info.transaction_status == TransactionStatus.ACTIVE
    except psycopg.Error:  # it is closed
        return False


def _cancel_statement(session: psycopg.Connection) -> None:
    try:
        session.cancel_safe(timeout=_CANCEL_SECONDS)
    except psycopg.Error:  # its statement_timeout ends the statement soon
        logger.warning("A statement could not be cancelled.", exc_info=True)


def _raise_in(thread: int, error: type[TimeIsOver] | None) -> None:
    argument = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), argument)
