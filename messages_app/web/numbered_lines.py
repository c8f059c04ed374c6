"""The lines of a file that may hold anything, one in memory at a time."""

from collections.abc import Iterator
from pathlib import Path

MAX_LINE_BYTES = 20 * 1024 * 1024


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """Yield number (from 1) and bytes of each line that is not blank; None for one above MAX_LINE_BYTES."""
    number = 0
    with path.open("rb") as file:
        while line := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                yield number, None
                while line and not line.endswith(b"\n"):
                    line = file.readline(MAX_LINE_BYTES)
            elif line.strip():
                yield number, line
