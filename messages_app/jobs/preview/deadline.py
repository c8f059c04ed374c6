"""The time limit of a quick preview for all its queries."""

import time
from collections.abc import Callable
from typing import TypeVar

from django.db import connection

from messages_app.core.clock import TooSlow, time_limit

Answer = TypeVar("Answer")

# The minimum of any share. Less time is not enough for a query.
_MIN_MS = 30


class TimeIsUp(Exception):
    """A preview with a deadline that gives up did not end in time."""


class Deadline:
    """
    Divides the remaining time among queries.

    Args:
        gives_up: each query may take all the remaining time, and the first one that takes longer ends the
        preview with `TimeIsUp`. Otherwise a number that is not known in time is left open.
    """

    def __init__(self, seconds: float, *, gives_up: bool = False) -> None:
        self._end = time.monotonic() + seconds
        self._gives_up = gives_up

    def left_ms(self, share: float = 1.0) -> int:
        """Return a share of the remaining milliseconds, at least _MIN_MS."""
        return max(_MIN_MS, int((self._end - time.monotonic()) * 1000 * share))

    def part_of_time(self, share: float) -> "Deadline":
        """Return a deadline for a share of the remaining time."""
        if self._gives_up:
            return self
        return Deadline(max(0.0, self._end - time.monotonic()) * share)

    def run_within(self, ask: Callable[[], Answer], *, share: float = 1.0) -> Answer | None:
        """
        Return the result of `ask`, or None if it takes longer than this share of the remaining time.

        Raises:
            TimeIsUp: it takes longer, and the deadline gives up.
        """
        limit = self.left_ms(1 if self._gives_up else share)
        try:
            with time_limit(limit), connection.execute_wrapper(_one_limit_for_all(limit)):
                return ask()
        except TooSlow as error:
            if self._gives_up:
                raise TimeIsUp from error
            return None


def _one_limit_for_all(milliseconds: int) -> Callable:
    """Return a wrapper that gives each statement the time that earlier statements have left."""
    end = time.monotonic() + milliseconds / 1000

    def execute_limited(execute: Callable, sql: str, params: object, many: bool, context: dict) -> object:
        left = max(1, int((end - time.monotonic()) * 1000))
        execute("SELECT set_config('statement_timeout', %s, true)", (str(left),), False, context)
        return execute(sql, params, many, context)

    return execute_limited
