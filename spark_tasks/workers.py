"""What every task does first in the Python process that Spark gave it."""

import gc
from functools import cache


@cache
def settle_in() -> None:
    """
    Take what is loaded out of Python's garbage collection, once a process.

    Spark's workers collect all garbage after each task. With pyarrow and pandas loaded that takes 40 ms, most
    of what a task costs that has little to do.
    """
    gc.freeze()
