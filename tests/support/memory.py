"""
Measure the peak memory of this process during a piece of work, freed or not, and limit that of others.

Only Linux reports and limits it.
"""

import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.children import living_children

_ABOUT_US = Path("/proc/self")
_RESET_PEAK = "5"


@contextmanager
def peak_growth() -> Iterator[list[int]]:
    """Give a list that has one number after the block: the bytes at its peak, less those at its start."""
    (_ABOUT_US / "clear_refs").write_text(_RESET_PEAK)
    before, growth = _bytes(_ABOUT_US, "VmRSS"), []
    yield growth
    growth.append(_bytes(_ABOUT_US, "VmHWM") - before)


def limit_memory(pid: int, more: int) -> None:
    """Let a process and its children, those to come too, take this many more bytes than they have."""
    for process in _tree(pid):
        _set_limit(process, _bytes(Path(f"/proc/{process}"), "VmData") + more)


def lift_limit(pid: int) -> None:
    """Take the limit from a process that other tests use."""
    for process in _tree(pid):
        _set_limit(process, resource.RLIM_INFINITY)


def _tree(pid: int) -> list[int]:
    return [pid, *(child.pid for child in living_children(pid))]


def _set_limit(pid: int, most: int) -> None:
    _, highest = resource.prlimit(pid, resource.RLIMIT_DATA)
    resource.prlimit(pid, resource.RLIMIT_DATA, (most, highest))


def _bytes(process: Path, name: str) -> int:
    return int(re.search(rf"{name}:\s+(\d+) kB", (process / "status").read_text())[1]) * 1024
