"""The time that a quick preview has, over all that it asks."""

import time
from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError, connection

from messages_app.web.time_limits import time_limit, was_too_slow

Answer = TypeVar("Answer")

# Less is no time for any look; a share is never below it.
_LEAST_MS = 30


class Deadline:
    """Hands out what is left of some seconds."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left_ms(self, share: float = 1.0) -> int:
        """Return a share of the milliseconds left; a little even when none is."""
        return max(_LEAST_MS, int((self._end - time.monotonic()) * 1000 * share))

    def part(self, share: float) -> "Deadline":
        """Return one for a share of the time that is left."""
        return Deadline(max(0.0, self._end - time.monotonic()) * share)

    def within(self, ask: Callable[[], Answer], *, share: float = 1.0) -> Answer | None:
        """Return what `ask` finds, or None where the database took longer than the share of what is left."""
        limit = self.left_ms(share)
        try:
            with time_limit(limit), connection.execute_wrapper(_one_limit_for_all(limit)):
                return ask()
        except OperationalError as error:
            if not was_too_slow(error):
                raise
            return None


def _one_limit_for_all(milliseconds: int) -> Callable:
    """Return a wrapper that leaves each statement what those before it have left of the time."""
    end = time.monotonic() + milliseconds / 1000

    def limited(execute: Callable, sql: str, params: object, many: bool, context: dict) -> object:
        left = max(1, int((end - time.monotonic()) * 1000))
        execute("SELECT set_config('statement_timeout', %s, true)", (str(left),), False, context)
        return execute(sql, params, many, context)

    return limited
