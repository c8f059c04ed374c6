"""A console of its own for a test: `manage.py up` as a user runs it, with real children."""

import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import psutil

from hubconsole.devserver import processes
from messages_app.core.embedded_servers import find_free_port
from tests.support.eventually import eventually

REPOSITORY = Path(__file__).resolve().parent.parent.parent
NOBODY = pwd.getpwnam("nobody")


# How root becomes an ordinary user: plainly, or with the right to read, where the interpreter is in a closed
# directory (root's own). That right does not affect the tests: files and processes belong to other users.
_PLAIN = ["setpriv", "--reuid=nobody", f"--regid={NOBODY.pw_gid}", "--clear-groups"]
_READING = [*_PLAIN, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]


def ways() -> dict[str, list[str]]:
    """Return as whom `up` can be tried here, each with the words that go before the command."""
    found: dict[str, list[str]] = {"ourselves": []}
    if os.geteuid() == 0 and shutil.which("setpriv"):
        prefix = next((prefix for prefix in (_PLAIN, _READING) if _reads_us(prefix)), None)
        found |= {"nobody": prefix} if prefix else {}
    return found


def _reads_us(prefix: list[str]) -> bool:
    command = [*prefix, sys.executable, "-c", "import hubconsole.devserver.postgres"]
    return subprocess.run(command, cwd=REPOSITORY, check=False, capture_output=True).returncode == 0


class Console:
    """One home, and the `up` that runs in it: of the clone, or of an installed package by its `script`."""

    def __init__(self, parent: Path, *, user: str = "ourselves", script: Path | None = None) -> None:
        self._program = [str(script)] if script else [sys.executable, "manage.py"]
        self._folder = Path("/") if script else REPOSITORY
        self.home = Path(tempfile.mkdtemp(prefix="up-", dir=parent))
        self.home.chmod(0o711)  # else PostgreSQL's data is elsewhere
        self.port = find_free_port()
        self._prefix = ways()[user]
        if user == "nobody":
            os.chown(self.home, NOBODY.pw_uid, NOBODY.pw_gid)
        self.up: subprocess.Popen | None = None

    def start(self, *arguments: str, **environment: str) -> None:
        """Run `up` until it serves pages. It ends on its own if it hangs."""
        (self.home / "told").write_text("")
        self.up = self.popen("up", "--port", str(self.port), *arguments, **environment)
        eventually(lambda: "Hub Console is at" in self.told() or self.up.poll() is not None, 900)
        assert self.up.poll() is None, self.told()

    def popen(self, *arguments: str, **environment: str) -> subprocess.Popen:
        """Start a command of manage.py in this home; its words go to `told`."""
        with (self.home / "told").open("ab") as told:
            return subprocess.Popen(
                [*self._prefix, *self._program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=told,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                env=self.environment(**environment),
            )

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        """Run a command of manage.py in this home, as in a second terminal."""
        return subprocess.run(
            [*self._prefix, *self._program, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=self._folder,
            env=self.environment(**environment),
        )

    def environment(self, **changes: str) -> dict[str, str]:
        return os.environ | {"HUBCONSOLE_HOME": str(self.home), "HOME": str(self.home)} | changes

    def told(self) -> str:
        return (self.home / "told").read_text(errors="replace")

    def page(self, path: str = "/health/") -> int:
        """Return the HTTP status of a page, also of a failure."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Signal `up`; return its exit status."""
        self.up.send_signal(number)
        return self.up.wait(timeout=60)

    def pid(self, name: str) -> int:
        """Return the pid of one running child."""
        return psutil.Process(self._record(name)["pid"]).pid

    def running(self) -> list[str]:
        """Return the processes of this home: those with its mark or path, or with it as working directory."""
        found = []
        for process in psutil.process_iter():
            try:
                if self._is_ours(process) and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(f"{process.pid} {' '.join(process.cmdline())[:100]}")
            except (psutil.Error, OSError):
                continue
        return found

    def _is_ours(self, process: psutil.Process) -> bool:
        if process.pid == os.getpid():
            return False
        is_marked = process.environ().get(processes.MARK) == str(self.home)
        return is_marked or any(str(self.home) in word for word in (*process.cmdline(), process.cwd()))

    def _record(self, name: str) -> dict:
        return json.loads((self.home / "run" / f"{name}.json").read_text())

    def remove(self) -> None:
        """End whatever is left, and remove the home."""
        if self.up and self.up.poll() is None:
            self.stop(signal.SIGKILL)
        processes.end_leftovers(self.home, seconds=3)
        elsewhere = self.home / "postgres" / "elsewhere"
        if elsewhere.is_symlink():
            shutil.rmtree(elsewhere.resolve())
        eventually(self._is_removed)

    def _is_removed(self) -> bool:
        """Remove the home; a process that has just been killed may still have written a file."""
        shutil.rmtree(self.home, ignore_errors=True)
        return not self.home.exists()
