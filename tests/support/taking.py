"""A plugin of pytest for one process of `make test`: takes file after file from the queue that all share."""

import os
import time
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from tests.support.files import Queue

QUEUE, LANES = "TESTS_QUEUE", "TESTS_LANES"

_FOLDERS: dict[Path, pytest.Collector | None] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> bool:
    """Collect nothing yet: files that other processes take need not be read here."""
    return True


@pytest.hookimpl(wrapper=True)
def pytest_collect_directory(path: Path) -> Generator[None, pytest.Collector | None, pytest.Collector | None]:
    """Give one node for a folder however often it is collected: fixtures of its conftest belong to it."""
    node = yield
    return _FOLDERS.setdefault(path, node)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    queue, lanes = Queue(Path(os.environ[QUEUE])), os.environ[LANES].split(",")
    collected = 0
    while path := queue.take(lanes):
        began = time.monotonic()
        items = session.perform_collect([path])
        collected += len(items)
        _run(session, items)
        # Behind the dots, which makes a line of them: lines of several processes do not mingle.
        print(f" {path} {time.monotonic() - began:.1f} s", flush=True)  # noqa: T201
    session.testscollected = collected
    return True


def _run(session: pytest.Session, items: Sequence[pytest.Item]) -> None:
    """Run the tests of one file; what is of the session stays for the next one."""
    # Of a file of slow tests nothing is left to run.
    for item, following in zip(items, [*items[1:], session], strict=False):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
