"""
The worker's loop: reset, poll, work, dispatch, until it is asked to stop.

It holds one message at a time. After a poll whose answer was lost it may hold one that it does not know, so
it resets its service before the next poll. A dispatch whose answer was lost is sent again; "not found" then
says that the first one arrived.
"""

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator

from .client import Client, Message, Refused, Unreachable
from .work import Work

log = logging.getLogger("cp_queue.worker")

# Seconds between polls that find nothing: the first, and the longest.
MIN_PAUSE, MAX_PAUSE = 0.2, 5.0
# After these refusals of a dispatch the message is no longer this worker's. 403: the token is confined to
# some queues, and the message is unknown; if it may not pull at all, the next call is refused too.
_LOST = {403, 404, 409}
# Attempts at a dispatch by a worker that was asked to stop.
_LAST_TRIES = 8


def iterate_pauses(shortest: float, longest: float) -> Iterator[float]:
    """Yield the seconds between polls that find nothing, increasing and different for each worker."""
    pause = shortest
    while True:
        yield pause * random.uniform(0.5, 1.0)  # noqa: S311 (no secret)
        pause = min(pause * 2, longest)


class Worker:
    """
    One worker.

    Args:
        queues: names with commas.
        shortest, longest: seconds between polls that find nothing; twice as long each time.
    """

    def __init__(
        self,
        client: Client,
        work: Work,
        *,
        queues: str,
        shortest: float = MIN_PAUSE,
        longest: float = MAX_PAUSE,
    ) -> None:
        self._client = client
        self._work = work
        self._queues = queues
        self._shortest, self._longest = shortest, longest
        self._stopping = threading.Event()
        self.done = 0

    def stop(self) -> None:
        """Stop after the message that is in progress. Safe to call from a signal handler."""
        self._stopping.set()

    def run(self, *, most: int | None = None) -> None:
        """
        Work until `stop`, or until `most` messages are done.

        Raises:
            Refused: the token, the permission or a name is wrong.
        """
        self._call_until_answered(self._reset)
        waiting = iterate_pauses(self._shortest, self._longest)
        while not self._stopping.is_set() and self.done != most:
            message = self._get_next()
            if message is None:
                self._stopping.wait(next(waiting))
                continue
            self._handle(message)
            waiting = iterate_pauses(self._shortest, self._longest)

    def _get_next(self) -> Message | None:
        try:
            return self._client.get_next(self._queues)
        except Unreachable as error:
            log.warning("The request to the server failed: %s", error)
        self._call_until_answered(self._reset)
        return None

    def _reset(self) -> None:
        if released := self._client.reset():
            log.info("Released %d messages of an earlier run.", released)

    def _handle(self, message: Message) -> None:
        log.info("%s: object %d, message %s", message.queue, message.object_id, message.guid)
        reason = self._work(message)
        self._call_until_answered(lambda: self._dispatch(message, reason), tries_when_stopping=_LAST_TRIES)
        self.done += 1

    def _dispatch(self, message: Message, reason: str) -> None:
        try:
            self._client.dispatch(message, reason)
        except Refused as error:
            if error.status not in _LOST:
                raise
            log.warning("Message %s is no longer ours: %s", message.guid, error)
            return
        log.info("%s: %s", message.guid, reason)

    def _call_until_answered(self, call: Callable[[], None], *, tries_when_stopping: int = 0) -> None:
        """
        Call until the server answers, or until this many attempts after the worker was stopped.

        A message whose dispatch is given up stays reserved until this service starts again.
        """
        waiting = iterate_pauses(self._shortest, self._longest)
        while True:
            try:
                return call()
            except Unreachable as error:
                log.warning("The server cannot be reached: %s", error)
            if self._stopping.is_set():
                if tries_when_stopping == 0:
                    return None
                tries_when_stopping -= 1
                time.sleep(self._shortest)
            self._stopping.wait(next(waiting))
