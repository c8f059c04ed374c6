"""Work done at the same time, each piece on a database connection of its own."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import connection


def in_threads(*works: Callable[[], object]) -> list[object]:
    """Run each in a thread with its own connection, all concurrently; return answers or exceptions."""
    start = threading.Barrier(len(works))

    def run(work: Callable[[], object]) -> object:
        try:
            start.wait(timeout=10)
            return work()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))
