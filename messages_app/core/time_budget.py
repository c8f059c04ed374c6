"""
Ends work that takes too long, and not the process that does it.

A watching thread raises an exception in the working thread, and cancels the statement that it waits for.
Python raises it between two instructions: a single long call into C (a regular expression, a parser) is not
interrupted, so the input of such calls has limits of its own.
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
_LONGEST_SLEEP = 60.0

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
        self.is_done = False
        self._error = error
        self._thread = threading.get_ident()
        self._connection = connections["default"]  # the thread's own
        self._lock = threading.RLock()

    def postpone(self, seconds: float) -> None:
        """Allow this many seconds more, for work that waits for something else."""
        self.deadline += seconds

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
        """Wait until no one raises the error any more, and take back one that has not arrived yet."""
        # Not `with`: an error may arrive when the lock was taken and the block was not yet entered.
        try:
            self._lock.acquire()
        finally:
            # No `suppress` either: what it calls could be where the next error arrives.
            try:  # noqa: SIM105
                self._lock.release()
            except RuntimeError:  # the error came before the lock was taken
                pass
        if self.is_over:
            _take_back()


class _Watch:
    """
    The thread of this process that watches all limits; the first limit starts it.

    Working threads take no lock of it: an error may be raised in them at any instruction, and a lock that
    stays taken would stop every other thread of the process.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin again in a process that was forked: threads are not."""
        self._added: deque[WorkLimit] = deque()
        self._alarms: SimpleQueue[None] = SimpleQueue()
        self._limits: set[WorkLimit] = set()
        self._wakes_at = 0.0
        self._starting = threading.Lock()

    def add(self, limit: WorkLimit) -> None:
        self._added.append(limit)
        if self._starting.acquire(blocking=False):  # once, and never released
            threading.Thread(target=self._run, name="work-limits", daemon=True).start()
        if limit.deadline < self._wakes_at:
            self._alarms.put(None)

    def _run(self) -> None:
        while True:
            limit = self._next()
            limit.end_work()
            if not limit.is_done:
                # Again later: an error that meets a callback of the garbage collector is lost.
                limit.deadline = monotonic() + _AGAIN_SECONDS
                self._limits.add(limit)

    def _next(self) -> WorkLimit:
        """Wait until a deadline has passed, and return whose it is."""
        while True:
            self._take_added()
            first = min(self._limits, key=lambda limit: limit.deadline, default=None)
            self._wakes_at = monotonic() + _LONGEST_SLEEP if first is None else first.deadline
            if self._added:  # since they were taken; who comes later sees when this thread wakes
                continue
            seconds = self._wakes_at - monotonic()
            if first is not None and seconds <= 0:
                self._limits.discard(first)
                return first
            self._sleep(seconds)

    def _take_added(self) -> None:
        while self._added:
            self._limits.add(self._added.popleft())
        self._limits = {limit for limit in self._limits if not limit.is_done}

    def _sleep(self, seconds: float) -> None:
        with contextlib.suppress(Empty):
            self._alarms.get(timeout=max(seconds, 0))


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
        limit.is_done = True
        try:
            limit.finish()
        except TimeIsOver:
            limit.finish()
            raise


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


class _TakenBack(BaseException):
    """Replaces an error that has not arrived, and goes no further than the function that raises it."""


def _take_back() -> None:
    """
    Replace an error of this thread that has not arrived yet, and receive the replacement here.

    To clear it (a NULL error) would not do: Python 3.11 then goes on to believe that one is pending, checks
    for it with every instruction, and enters the first function that is traced without end.
    """
    try:
        _raise_in(threading.get_ident(), _TakenBack)
        for _ in range(100):  # it arrives when a loop begins again
            pass
    except _TakenBack:
        pass


def _raise_in(thread: int, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


# Ends a request that takes too long with 503, so that none of them holds a web process forever.


_DETAIL = (
    "This took longer than {seconds:g} seconds and was stopped. Uncommitted changes were undone."
    " Narrow the request or ask for less."
)


class RequestLimitMiddleware:
    """
    Gives each request HUBCONSOLE_REQUEST_SECONDS until its answer begins.

    A view that waits for something else postpones `request.limit`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            with work_limit(settings.REQUEST_SECONDS) as limit:
                request.limit = limit  # type: ignore[attr-defined]  # what middleware adds has no type
                return self.get_response(request)
        except TimeIsOver:
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
    """Close the thread's database session: no one knows in the midst of what its work ended."""
    wrapper = connections["default"]
    if wrapper.connection is not None:
        wrapper.connection.close()
    wrapper.in_atomic_block = False
    wrapper.close()
