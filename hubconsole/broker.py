"""
Redis and Valkey as Celery's broker, with messages dropped that are not tasks.

With the library's own transport, text that is not JSON, or JSON that is not a task, ends the worker.
"""

import logging
from queue import Empty
from traceback import walk_tb

from kombu.transport import redis

logger = logging.getLogger(__name__)

# Errors from reading such a text. Celery itself reports unknown tasks and invalid arguments.
_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


class Channel(redis.Channel):
    """The library's channel, which drops messages that it cannot read."""

    def _brpop_read(self, **options: object) -> bool:
        try:
            return super()._brpop_read(**options)  # type: ignore[misc]  # its types lack it
        except _UNREADABLE as error:
            return _drop_message(error)

    def _receive_one(self, client: object) -> bool | None:
        try:
            return super()._receive_one(client)  # type: ignore[misc]  # its types lack it
        except _UNREADABLE as error:
            return _drop_message(error)

    def _get(self, queue: str) -> object:  # type: ignore[override]  # its types have a timeout that it lacks
        try:
            return super()._get(queue)
        except _UNREADABLE as error:
            _drop_message(error)
            raise Empty from None


class Transport(redis.Transport):
    Channel = Channel


def _drop_message(error: Exception) -> bool:
    """Log the error without the text of the message, which is already gone from the queue."""
    frames = [frame.f_code.co_name for frame, _ in walk_tb(error.__traceback__)]
    logger.error(
        "Dropped a message that is not a task: %s in %s of the broker client.",
        type(error).__name__,
        frames[-1],
    )
    return True
