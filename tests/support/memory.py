"""Measure the peak memory of this process during a piece of work, freed or not. Only Linux reports it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ABOUT_US = Path("/proc/self")
_RESET_PEAK = "5"


@contextmanager
def peak_growth() -> Iterator[list[int]]:
    """Give a list that has one number after the block: the bytes at its peak, less those at its start."""
    (_ABOUT_US / "clear_refs").write_text(_RESET_PEAK)
    before, growth = _kilobytes("VmRSS"), []
    yield growth
    growth.append((_kilobytes("VmHWM") - before) * 1024)


def _kilobytes(name: str) -> int:
    return int(re.search(rf"{name}:\s+(\d+) kB", (_ABOUT_US / "status").read_text())[1])
