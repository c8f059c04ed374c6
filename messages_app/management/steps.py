"""Says now and then what a command does and for how long, while it waits for something that says nothing."""

import threading
from time import monotonic
from typing import Self, TextIO

from django.core.management.base import OutputWrapper

_SECONDS_BETWEEN = 10.0


class Steps:
    """
    Writes a line on `stream` for the current step, after some seconds and then in this interval.

    Args:
        seconds: the interval.
    """

    def __init__(self, stream: TextIO | OutputWrapper, *, seconds: float = _SECONDS_BETWEEN) -> None:
        self._stream = stream
        self._seconds = seconds
        self._step = ""
        self._parts = ""
        self._began = monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._report_steps, name="steps", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def begin(self, step: str) -> None:
        """Begin a step, such as "Counting messages"."""
        self._step, self._parts, self._began = step, "", monotonic()

    def count(self, done: int, total: int) -> None:
        """Note how many parts of the step are done."""
        self._parts = f", {done} of {total} parts" if total else ""

    def _report_steps(self) -> None:
        while not self._ended.wait(self._seconds):
            if self._step:
                lasting = monotonic() - self._began
                self._stream.write(f"{self._step}: {int(lasting)} s so far{self._parts}.\n")
                self._stream.flush()
