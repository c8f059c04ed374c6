"""The processes below another one. One that ends while it is read, or has ended, is left out."""

from contextlib import suppress

import psutil


def living_children(pid: int) -> list[psutil.Process]:
    """Return all processes below a process, without ended ones that are still listed."""
    return [child for child in psutil.Process(pid).children(recursive=True) if _is_alive(child)]


def child_by_command(pid: int, part: str) -> psutil.Process:
    """
    Return the first process below a process whose command contains a text.

    Raises:
        LookupError: no process has it.
    """
    for child in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.Error):
            if part in " ".join(child.cmdline()):
                return child
    raise LookupError(f"No process below {pid} has {part!r} in its command.")


def _is_alive(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return process.status() != psutil.STATUS_ZOMBIE
    return False
