"""
Ends work that takes too long, without ending its process.

A watching thread raises an exception in the working thread, and cancels the SQL statement that it waits for.
Python raises the exception between two instructions. A single long call into C, such as a regular expression
or a parser, is not interrupted, so the input of such calls has its own limits.
"""

import contextlib
import ctypes
import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from time import monotonic

import psycopg
from django.conf import settings
from django.db import connections
from django.http import HttpRequest, HttpResponse
from psycopg.pq import TransactionStatus

from messages_app.core.problems import Problem, problem_response

_CANCEL_SECONDS = 2.0
_AGAIN_SECONDS = 5.0
_MAX_SLEEP = 60.0

logger = logging.getLogger(__name__)


class TimeIsOver(BaseException):
    """
    Raised anywhere within limited work. It is not an Exception, so that no handler on the way catches it.
    """


class WorkLimit:
    """
    The limit of one piece of work.

    Attributes:
        is_over: whether the work was ended.
        is_done: whether the work has left its block.
    """

    def __init__(self, seconds: float, error: type[TimeIsOver]) -> None:
        self.deadline = monotonic() + seconds
        self.is_over = False
        self.is_done = False
        self._error = error
        self._thread = threading.get_ident()
        self._connection = connections["default"]  # the connection of this thread
        self._lock = threading.RLock()

    def postpone(self, seconds: float) -> None:
        """Extend the limit by this many seconds, for work that waits for something else."""
        self.deadline += seconds

    def is_of(self, thread: int) -> bool:
        """Whether this is a limit of unfinished work of a thread."""
        return self._thread == thread and not self.is_done

    def end_work(self) -> None:
        """Raise the error in the working thread, unless its work is done."""
        with self._lock:
            if self.is_done:
                return
            self.is_over = True
            # Checked first, because later statements of the thread, such as a rollback, must not be
            # cancelled.
            session = self._connection.connection
            is_waiting = session is not None and _has_statement(session)
            _raise_in(self._thread, self._error)
            if is_waiting:
                _cancel_statement(session)

    def finish(self) -> None:
        """
        Wait until no thread can raise the error any more, and take back an error that has not arrived yet.
        """
        # Not `with`: an error could arrive after the lock was taken and before the block was entered.
        try:
            self._lock.acquire()
        finally:
            # Not `suppress`: the next error could arrive in its own code.
            try:  # noqa: SIM105
                self._lock.release()
            except RuntimeError:  # The error arrived before the lock was taken.
                pass
        if self.is_over:
            _take_back()


class _Watch:
    """
    The thread of this process that watches all limits. The first limit starts it.

    Working threads take none of its locks, because an error can be raised in them at any instruction, and a
    lock that is never released would block every other thread of the process.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Reset the state in a forked process, which does not inherit threads."""
        self._added: deque[WorkLimit] = deque()
        self._alarms: SimpleQueue[None] = SimpleQueue()
        self._limits: set[WorkLimit] = set()
        self._wakes_at = 0.0
        self._starting = threading.Lock()

    def add(self, limit: WorkLimit) -> None:
        self._added.append(limit)
        if self._starting.acquire(blocking=False):  # Acquired once and never released.
            threading.Thread(target=self._watch_deadlines, name="work-limits", daemon=True).start()
        if limit.deadline < self._wakes_at:
            self._alarms.put(None)

    def current_limits(self) -> list[WorkLimit]:
        return [*tuple(self._added), *tuple(self._limits)]

    def _watch_deadlines(self) -> None:
        while True:
            limit = self._await_deadline()
            limit.end_work()
            if not limit.is_done:
                # Raised again later, because an error in a callback of the garbage collector is lost.
                limit.deadline = monotonic() + _AGAIN_SECONDS
                self._limits.add(limit)

    def _await_deadline(self) -> WorkLimit:
        """Wait until a deadline has passed, and return its limit."""
        while True:
            self._take_added()
            first = min(self._limits, key=lambda limit: limit.deadline, default=None)
            self._wakes_at = monotonic() + _MAX_SLEEP if first is None else first.deadline
            # Limits were added in the meantime. Later ones are read when this thread wakes up.
            if self._added:
                continue
            seconds = self._wakes_at - monotonic()
            if first is not None and seconds <= 0:
                self._limits.discard(first)
                return first
            self._sleep_until_alarm(seconds)

    def _take_added(self) -> None:
        while self._added:
            self._limits.add(self._added.popleft())
        self._limits = {limit for limit in self._limits if not limit.is_done}

    def _sleep_until_alarm(self, seconds: float) -> None:
        with contextlib.suppress(Empty):
            self._alarms.get(timeout=max(seconds, 0))


_watch = _Watch()
os.register_at_fork(after_in_child=_watch.reset)


@contextmanager
def work_limit(seconds: float, *, error: type[TimeIsOver] = TimeIsOver) -> Iterator[WorkLimit]:
    """
    Raise `error` in the block if it takes longer than `seconds`.

    Raises:
        TimeIsOver: `error`, from the block. Transactions inside of it are rolled back.
    """
    limit = WorkLimit(seconds, error)
    try:
        _watch.add(limit)
        yield limit
    finally:
        limit.is_done = True
        try:
            limit.finish()
        except TimeIsOver:
            limit.finish()
            raise


def postpone_limits(seconds: float) -> None:
    """Extend all limits of the work of this thread, which waits for something that it does not cause."""
    thread = threading.get_ident()
    for limit in _watch.current_limits():
        if limit.is_of(thread):
            limit.postpone(seconds)


def _has_statement(session: psycopg.Connection) -> bool:
    try:
        return session.info.transaction_status == TransactionStatus.ACTIVE
    except psycopg.Error:  # The session is closed.
        return False


def _cancel_statement(session: psycopg.Connection) -> None:
    try:
        session.cancel_safe(timeout=_CANCEL_SECONDS)
    except psycopg.Error:  # The database's statement_timeout ends the statement soon.
        logger.warning("A statement could not be cancelled.", exc_info=True)


class _TakenBack(BaseException):
    """Replaces an error that has not arrived. The function that raises it also catches it."""


def _take_back() -> None:
    """
    Replace an error of this thread that has not arrived yet, and catch the replacement here.

    Clearing it by a NULL error does not work: Python 3.11 would still assume a pending error, check for it at
    every instruction, and never get past the start of the first traced function.
    """
    try:
        _raise_in(threading.get_ident(), _TakenBack)
        for _ in range(100):  # The replacement arrives at the start of an iteration.
            pass
    except _TakenBack:
        pass


def _raise_in(thread: int, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


# Ends a request that takes too long with a 503, so that no request occupies a web process forever.
_DETAIL = (
    "This took longer than {seconds:g} seconds and was stopped. Uncommitted changes were undone."
    " Narrow the request or ask for less. If it changes something, check whether it is there, or repeat"
    " the request with the same Idempotency-Key."
)


class RequestLimitMiddleware:
    """
    Limits the time until the answer of a request begins to HUBCONSOLE_REQUEST_SECONDS.

    A view that waits for something else calls `request.limit.postpone`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            with work_limit(settings.REQUEST_SECONDS) as limit:
                request.limit = limit  # type: ignore[attr-defined]  # what middleware adds has no type
                response = self.get_response(request)
            # A cancelled commit that waited for a replica reports success, and a warning whose callback loses
            # the error. The replica may lack the change, so its answer must not be a success.
            if not limit.is_over:
                return response
        except TimeIsOver:
            pass
        logger.warning("%s %s took too long and was ended.", request.method, request.path_info)
        _drop_connection()
        problem = Problem(
            503,
            "time_limit",
            _DETAIL.format(seconds=settings.REQUEST_SECONDS),
            headers={"Retry-After": "5"},
        )
        return problem_response(problem, request)


def _drop_connection() -> None:
    """Close the database session of the thread, because its work may have stopped halfway."""
    wrapper = connections["default"]
    if wrapper.connection is not None:
        wrapper.connection.close()
    wrapper.in_atomic_block = False
    wrapper.close()
