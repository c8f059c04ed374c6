"""Waiting in tests: for a condition with a deadline, never for a time."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def eventually(condition: Callable[[], Found], seconds: float = 30.0, *, every: float = 0.05) -> Found:
    """Return the first true answer of `condition`, asked again and again.

    Args:
        every: seconds between two of its answers.

    Raises:
        AssertionError: no true answer within `seconds`; shows the last answer.
    """
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} s; the last answer was {answer!r}"
        threading.Event().wait(every)
    return answer
