"""
A live hub next to a test: `start_hub` is a fixture that runs the real command on the test's database.

Its changes are in its log; `changes_in` reads them, for tests that compare all rows before and after.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.conf import settings

from tests.support.eventually import eventually
from tests.support.workers import database_of_tests

Key = tuple[str, int]


@dataclass(frozen=True)
class Changes:
    """Rows, as (table, id), that a hub inserted and changed; a kill may have undone the last of them."""

    inserted: set[Key] = field(default_factory=set)
    changed: set[Key] = field(default_factory=set)


def changes_in(path: Path) -> Changes:
    """Read a hub's log."""
    return HubLog(path).read()


class HubLog:
    """The log of a hub's changes; each read returns only new lines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._changes = Changes()
        self._offset = 0

    def read(self) -> Changes:
        """Return all changes so far; a last line that a kill cut off is passed over, as it was undone."""
        if not self._path.exists():
            return self._changes
        with self._path.open("rb") as file:
            file.seek(self._offset)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._offset += len(line)
                self._take(json.loads(line))
        return self._changes

    def _take(self, entry: dict) -> None:
        for what, keys in (("inserted", self._changes.inserted), ("changed", self._changes.changed)):
            keys.update((table, row) for table, rows in entry.get(what, {}).items() for row in rows)


class RunningHub:
    """One `manage.py demo_hub`."""

    def __init__(self, folder: Path, arguments: tuple[str, ...]) -> None:
        self.log = folder / "hub.jsonl"
        self._changes = HubLog(self.log)
        self._said = folder / "hub.said"
        with self._said.open("ab") as said:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "manage.py", "demo_hub", "--any-messages"),
                    *("--log", str(self.log), *arguments),
                ],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env=os.environ
                | database_of_tests()
                | {"HUB_RULES": settings.HUB_RULES, "HUBCONSOLE_PROCESS": "demo-hub"},
            )

    def is_at_work(self) -> bool:
        return self.log.exists() and self.log.stat().st_size > 0

    def output(self) -> str:
        return self._said.read_text(errors="replace")

    def changes(self) -> Changes:
        return self._changes.read()

    def stop(self) -> int:
        """End it in good order; return its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=20)

    def kill(self) -> None:
        """End it immediately, like a power cut."""
        self.process.kill()
        self.process.wait()


@pytest.fixture
def start_hub(transactional_db, tmp_path_factory) -> Iterator[Callable[..., RunningHub]]:
    """
    Give a function that starts a hub, by default 20 messages a second at sixty times the hub's speed.

    Its arguments are those of the command. It returns when the hub has written its first row, unless `--rate`
    is 0. Hubs that still run are killed at the end.
    """
    hubs: list[RunningHub] = []

    def start(*arguments: str) -> RunningHub:
        arguments = arguments or ("--rate", "20", "--speed", "60")
        hub = RunningHub(tmp_path_factory.mktemp("hub"), arguments)
        hubs.append(hub)
        if "0" not in arguments:
            eventually(lambda: hub.is_at_work() or hub.process.poll() is not None)
            assert hub.process.poll() is None, hub.output()
        return hub

    yield start
    for hub in hubs:
        hub.kill()
