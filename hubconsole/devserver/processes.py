"""
Runs programs as child processes with a log and a pid file, ends their whole trees, and finds them later.

A program that outlives its supervisor (kill -9) is found by its pid file and by a mark in its environment. A
pid is not enough: the start time of its process is compared, so a process with a recycled pid is not ended.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from messages_app.core.embedded_servers import CannotStart

MARK = "HUBCONSOLE_SUPERVISED"  # In every child's environment: the home that it belongs to.
STOP_SECONDS = 10.0
LOG_BYTES = 20_000_000


@dataclass(frozen=True)
class Account:
    """A user to run a program as. Only root may choose one."""

    uid: int
    gid: int

    def options(self) -> dict:
        """Return the arguments with which subprocess becomes this user."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


@dataclass(frozen=True)
class Program:
    """A program to run: its command, its readiness check, and the signal that shuts it down cleanly."""

    name: str
    command: list[str]
    is_ready: Callable[[], bool] | None = None  # None: nothing waits until it is ready.
    environment: Mapping[str, str] | None = None  # None: the current user.
    directory: Path | None = None
    account: Account | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    once: bool = False  # It ends on its own and is not restarted.
    speaks: bool = False  # It writes to the terminal, not to a log.
    is_base: bool = False  # Other programs use it, so it ends after them.
    explain: Callable[[], str | None] = field(default=lambda: None)  # Why restarting it is useless.
    describe: Callable[[], str] = field(default=lambda: "it does not answer yet")  # Until it is ready.


class Process:
    """A running Program."""

    def __init__(self, program: Program, home: Path) -> None:
        """
        Start `program`.

        Raises:
            CannotStart: its executable cannot be run.
        """
        self.program = program
        self.home = home
        self.started = time.monotonic()
        self._popen = self._open_process()
        self.handle = psutil.Process(self._popen.pid)
        _pid_file(home, program.name).write_text(
            json.dumps(
                {
                    "pid": self.handle.pid,
                    "started": self.handle.create_time(),
                    "stop_signal": program.stop_signal,
                }
            )
        )

    def _open_process(self) -> subprocess.Popen:
        program = self.program
        environment = dict(os.environ if program.environment is None else program.environment)
        with contextlib.ExitStack() as stack:
            output = None if program.speaks else stack.enter_context(open_log(self.home, program.name))
            try:
                return subprocess.Popen(
                    program.command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT if output else None,
                    cwd=program.directory,
                    env=environment | {MARK: str(self.home)},
                    # Ctrl-C reaches only the supervisor, which ends all programs in order.
                    start_new_session=True,
                    **(program.account.options() if program.account else {}),
                )
            except OSError as error:
                raise CannotStart(f"{program.name}: {error}") from error

    @property
    def exit_status(self) -> int | None:
        """None while it runs; minus the signal number if a signal ended it."""
        return self._popen.poll()

    def forget(self) -> None:
        """Delete the pid file of a process that has ended, and reap it."""
        self._popen.poll()
        _pid_file(self.home, self.program.name).unlink(missing_ok=True)


def end_all(processes: Iterable[Process], *, seconds: float = STOP_SECONDS) -> None:
    """Shut each process down cleanly within `seconds`, then kill the rest of their trees."""
    processes = list(processes)
    _end_families({process.handle: process.program.stop_signal for process in processes}, seconds)
    for process in processes:
        process.forget()


def end_leftovers(home: Path, *, seconds: float = STOP_SECONDS) -> int:
    """End the programs that an earlier supervisor of `home` left running; return the number of processes."""
    pid_files = list((home / "run").glob("*.json"))
    leaders = dict(filter(None, (_recorded_process(path, home) for path in pid_files)))
    families = {handle for leader in leaders for handle in _family_of_leader(leader)}
    strays = {handle: signal.SIGTERM for handle in _marked_processes(home) if handle not in families}
    _end_families(leaders | strays, seconds)
    for path in pid_files:
        path.unlink(missing_ok=True)
    return len(leaders | strays)


def open_log(home: Path, name: str):
    """Open log/`name`.log for appending."""
    path = log_path(home, name)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path.open("ab")


def set_log_aside(home: Path, name: str) -> None:
    """Begin a new log, and keep the log of the previous start as log/`name`.log.1."""
    path = log_path(home, name)
    if path.exists():
        path.replace(path.with_suffix(".log.1"))


def trim_log(home: Path, name: str, *, size: int) -> None:
    """
    Move the contents of a log over `size` bytes aside. The file stays, because its process still writes to
    it.
    """
    path = log_path(home, name)
    if not path.exists() or path.stat().st_size <= size:
        return
    with contextlib.suppress(OSError):  # On a full disk the old lines are lost.
        shutil.copyfile(path, path.with_suffix(".log.1"))
    os.truncate(path, 0)


def log_path(home: Path, name: str) -> Path:
    return home / "log" / f"{name}.log"


def log_tail(home: Path, name: str, size: int = 4000) -> str:
    """Return the last `size` bytes of a log; empty if there is no log."""
    try:
        with log_path(home, name).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - size))
            return file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""


def _pid_file(home: Path, name: str) -> Path:
    path = home / "run" / f"{name}.json"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def _recorded_process(path: Path, home: Path) -> tuple[psutil.Process, signal.Signals] | None:
    """Return the process of this pid file and the signal that ends it, if it still runs."""
    try:
        record = json.loads(path.read_text())
        handle = psutil.Process(record["pid"])
        # Start times are computed from the clock: two seconds allow for its corrections.
        is_same = abs(handle.create_time() - record["started"]) < 2 or _has_mark(handle, home)
        stop_signal = signal.Signals(record["stop_signal"])
    except (OSError, ValueError, KeyError, TypeError, psutil.Error):
        return None
    return (handle, stop_signal) if is_same and _is_alive(handle) else None


def _marked_processes(home: Path) -> list[psutil.Process]:
    return [handle for handle in psutil.process_iter() if _has_mark(handle, home) and _is_alive(handle)]


def _has_mark(handle: psutil.Process, home: Path) -> bool:
    try:
        return handle.pid != os.getpid() and handle.environ().get(MARK) == str(home)
    except (psutil.Error, OSError):
        return False


def _end_families(leaders: Mapping[psutil.Process, signal.Signals], seconds: float) -> None:
    """Signal only the leaders, which end their own children, then kill every survivor."""
    family = {handle for leader in leaders for handle in _family_of_leader(leader)}
    for leader, number in leaders.items():
        with contextlib.suppress(psutil.NoSuchProcess):
            leader.send_signal(number)
    if _wait_for_end(leaders, seconds):
        _wait_for_end(family, 1)  # Children end a moment after their leader.
    for handle in family:
        if _is_alive(handle):
            with contextlib.suppress(psutil.NoSuchProcess):
                handle.kill()
    _wait_for_end(family, 5)


def _family_of_leader(leader: psutil.Process) -> list[psutil.Process]:
    try:
        return [leader, *leader.children(recursive=True)]
    except psutil.NoSuchProcess:
        return [leader]


def _wait_for_end(handles: Iterable[psutil.Process], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while any(_is_alive(handle) for handle in handles):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _is_alive(handle: psutil.Process) -> bool:
    """Count a zombie as ended: under a process 1 that reaps nothing it remains forever."""
    try:
        return handle.is_running() and handle.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
