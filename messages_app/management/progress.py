"""The progress of a command: a bar on a terminal, otherwise a line every few seconds."""

from time import monotonic
from typing import TextIO

from django.core.management.base import OutputWrapper
from tqdm import tqdm

_SECONDS_BETWEEN_LINES = 5.0


class Progress:
    """
    Shows progress on `stream` until it is closed.

    Args:
        total: the final count.
        unit: the counted items, in the plural.
    """

    def __init__(self, *, total: int, unit: str, stream: TextIO | OutputWrapper) -> None:
        self._total = total
        self._unit = unit
        self._stream = stream
        self._bar = tqdm(total=total, unit=f" {unit}", file=stream) if stream.isatty() else None
        self._last_line_at = monotonic()

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the bar at its current count."""
        if self._bar is not None:
            self._bar.close()

    def print_line(self, text: str) -> None:
        """Write a line, above the bar if there is one."""
        if self._bar is not None:
            self._bar.write(text, file=self._stream)
        else:
            self._stream.write(f"{text}\n")

    def update(self, done: int) -> None:
        """Show `done` of the total."""
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        elif done == self._total or monotonic() - self._last_line_at >= _SECONDS_BETWEEN_LINES:
            self._stream.write(f"{done} of {self._total} {self._unit}\n")
            self._stream.flush()
            self._last_line_at = monotonic()
