"""
Lets a process load its modules without searching them for garbage.

They stay, so nothing is found. With Python's threshold of 700 new objects, the searches took a third of the
start of each command and worker.
"""

import gc

_MANY = 100_000  # New objects, after which the youngest are searched.
_usual = gc.get_threshold()


def begin_loading() -> None:
    """Search rarely from now on. If `end_loading` is never called, the process only needs more memory."""
    gc.set_threshold(_MANY)


def end_loading() -> None:
    """Exempt what is loaded from further searches, and search as often as before."""
    gc.freeze()
    gc.set_threshold(*_usual)
