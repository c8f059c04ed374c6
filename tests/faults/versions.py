"""The programs of one version of the console, next to those of another, on the database of the tests."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest
from django.conf import settings

from messages_app.core.embedded_servers import find_free_port
from tests.faults.clients import Place, send
from tests.hubconsole.console import REPOSITORY
from tests.support.eventually import eventually
from tests.support.workers import database_of_tests

# The version from which tests upgrade: the one before passkeys. Its tables end with the migration that
# tests/rules/migrations.py names.
OLDER = "d60c43ee9e1813ed5241899c2e9003b286fcf261"
_WORKERS = {"short-worker": "short", "spark-worker": "spark"}


def unpack_older_version(folder: Path) -> Path:
    """Write the files of the older version to a folder. Fails in a clone without its commit."""
    found = subprocess.run(
        ["git", "cat-file", "-e", f"{OLDER}^{{commit}}"], cwd=REPOSITORY, capture_output=True, text=True
    )
    if found.returncode:
        pytest.fail(
            f"This clone does not have the commit {OLDER}, from which the test upgrades. Get the history with"
            " `git fetch --unshallow`."
        )
    target = folder / "older"
    target.mkdir()
    archive = subprocess.Popen(["git", "archive", OLDER], cwd=REPOSITORY, stdout=subprocess.PIPE)
    subprocess.run(["tar", "--extract", "--directory", target], stdin=archive.stdout, check=True)
    assert archive.wait() == 0
    return target


class Version:
    """
    Args:
        code: the folder of its files.
        home: its HUBCONSOLE_HOME, in which the other version has its archive and exports, too.
    """

    def __init__(self, name: str, code: Path, *, home: Path, logs: Path, spark: str) -> None:
        self.name, self._code, self._home, self._logs, self._spark = name, code, home, logs, spark
        self.port = find_free_port()
        self.place = Place(self.port)
        self._started: dict[str, subprocess.Popen] = {}

    def run(self, *arguments: str, **environment: str) -> str:
        """Run a command, and return its output."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=self._code,
            env=self._environment(environment),
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def start(self) -> None:
        """Start the web processes and the workers, and wait until all are ready."""
        bind = ("--bind", f"127.0.0.1:{self.port}", "--workers", "2")
        self._start("web", bind)
        for name, host in _WORKERS.items():
            self._start(name, ("--hostname", f"{host}-{self.name}@{socket.gethostname()}"))
        eventually(lambda: send(self.place, "x", "GET", "/login/")[0] == 200, 90)
        for name in _WORKERS:
            eventually(lambda name=name: " ready." in self.log_of(name), 90)

    def start_beat(self) -> None:
        """Start beat, of which there is one for both versions."""
        self._start("beat", ())

    def stop(self) -> None:
        """Stop all programs as systemd does. Jobs that do not end in time are taken over."""
        for program in self._started.values():
            with contextlib.suppress(psutil.NoSuchProcess):
                psutil.Process(program.pid).terminate()
        for program in self._started.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                program.wait(10)
        self.kill()

    def kill(self) -> None:
        for program in self._started.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
            program.wait()
        self._started.clear()

    def log_of(self, name: str) -> str:
        return (self._logs / f"{self.name}-{name}.log").read_text(errors="replace")

    def faults(self) -> list[str]:
        """Return the lines of all logs that name an error which no one expects."""
        return [
            f"{self.name} {name}: {line}"
            for name in ("web", *_WORKERS)
            for line in self.log_of(name).splitlines()
            if "Traceback" in line or "unregistered task" in line or " 500 " in line
        ]

    def _start(self, name: str, options: tuple[str, ...]) -> None:
        path = self._logs / f"{self.name}-{name}.log"
        with path.open("wb") as log:
            self._started[name] = subprocess.Popen(
                [sys.executable, "manage.py", "service", name, "--", *options],
                cwd=self._code,
                env=self._environment({}),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        return (
            os.environ
            | database_of_tests()
            | {
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                "CELERY_BROKER_URL": settings.CELERY_BROKER_URL,
                "DJANGO_SECRET_KEY": "for-this-test-only-" * 4,
                "HUBCONSOLE_HOME": str(self._home),
                "HUBCONSOLE_SPARK_WARM_UP": "off",
                "HUBCONSOLE_API_REQUESTS_PER_MINUTE": "1000000",
                "HUBCONSOLE_PAGES_PER_MINUTE": "1000000",
                "SPARK_REMOTE": self._spark,
            }
            | more
        )
