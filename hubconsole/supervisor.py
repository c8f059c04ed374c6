"""
Keeps the programs of `up` running, and ends them together.

The available libraries do not fit: honcho ends everything when one program ends and restarts nothing; circus
and supervisor are daemons with a control protocol and configuration of their own; and none of them finds the
processes of a killed predecessor.
"""

import contextlib
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hubconsole.processes import (
    LOG_BYTES,
    STOP_SECONDS,
    CannotStart,
    Process,
    Program,
    end_all,
    log_path,
    set_log_aside,
    trim_log,
)

LONGEST_PAUSE = 30.0  # seconds between two starts of a program that keeps ending
STEADY = 60.0  # seconds after which a program counts as stable
SETTLED = 3.0  # seconds after which a program without a readiness check counts as started
ROUND = 0.25  # seconds


class Interrupts:
    """Raise KeyboardInterrupt on SIGINT, SIGTERM and SIGHUP, but never before a new child is recorded."""

    NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self._is_held = False
        self._is_pending = False

    @contextlib.contextmanager
    def handle_signals(self) -> Iterator[None]:
        """Handle the three signals inside the block, and restore their previous handlers afterwards."""
        before = {number: signal.signal(number, self._handle) for number in self.NUMBERS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextlib.contextmanager
    def defer_signals(self) -> Iterator[None]:
        """Defer a signal to the end of the block."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        if self._is_pending:
            self._is_pending = False
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: object) -> None:
        if self._is_held:
            self._is_pending = True
            return
        raise KeyboardInterrupt


@dataclass
class _Place:
    """A program with its process, or with the time of its next start."""

    program: Program
    process: Process | None = None
    failures: int = 0
    start_at: float = 0.0  # monotonic seconds
    is_ready: bool = False


class Supervisor:
    """Starts programs, restarts them when they end, and ends all of them in reverse order."""

    def __init__(self, *, home, interrupts: Interrupts, say: Callable[[str], None]) -> None:
        self._home = home
        self._interrupts = interrupts
        self._say = say
        self._places: list[_Place] = []

    def start(self, program: Program) -> None:
        """Start `program`, and keep it running from now on."""
        set_log_aside(self._home, program.name)
        place = _Place(program)
        self._places.append(place)
        self._start(place)

    def wait(self, *, seconds: float) -> None:
        """
        Supervise until all programs are ready.

        Raises:
            CannotStart: a program is not ready within `seconds`, or stopped at startup.
        """
        deadline = time.monotonic() + seconds
        while waiting := [place for place in self._places if not place.is_ready]:
            self.look_after()
            failed = next((place for place in waiting if place.failures), None)
            if failed or time.monotonic() > deadline:
                name = (failed or waiting[0]).program.name
                what = "stopped at startup" if failed else f"is not ready after {seconds:.0f} s"
                raise CannotStart(f"{name} {what}; log: {log_path(self._home, name)}")
            time.sleep(ROUND)

    def run(self, *, when_ready: Callable[[], None]) -> None:
        """Supervise until a signal comes; call `when_ready` once all programs are ready."""
        is_told = False
        while True:
            self.look_after()
            if not is_told and all(place.is_ready for place in self._places):
                is_told = True
                when_ready()
            time.sleep(ROUND)

    def look_after(self) -> None:
        """Check every program once for readiness and exit, and restart the ended ones that are due."""
        for place in self._places:
            if place.process is None:
                self._start_when_due(place)
            elif place.process.exit_status is not None:
                self._take_out(place, place.process)
            else:
                self._check(place, place.process)

    def stop(self) -> None:
        """End the programs first, then the servers. A second signal kills them immediately."""
        running = [place.process for place in reversed(self._places) if place.process]
        clients = [process for process in running if not process.program.is_base]
        servers = [process for process in running if process.program.is_base]
        seconds = STOP_SECONDS
        for wave in (clients, servers):
            try:
                end_all(wave, seconds=seconds)
            except KeyboardInterrupt:
                seconds = 0.0
                with self._interrupts.defer_signals(), contextlib.suppress(KeyboardInterrupt):
                    end_all(wave, seconds=seconds)

    def _start(self, place: _Place) -> None:
        with self._interrupts.defer_signals():
            place.process = Process(place.program, self._home)

    def _start_when_due(self, place: _Place) -> None:
        if not place.program.once and time.monotonic() >= place.start_at:
            self._start(place)

    def _take_out(self, place: _Place, process: Process) -> None:
        """
        Note the end of a process, and the time of its program's next start.

        Raises:
            CannotStart: restarting it is useless.
        """
        status = process.exit_status
        process.forget()
        place.process = None
        if place.program.once:
            place.is_ready = True
            self._say(f"{place.program.name} " + ("is done" if status == 0 else f"failed (status {status})"))
            return
        if reason := place.program.explain():
            raise CannotStart(reason)
        if time.monotonic() - process.started > STEADY:
            place.failures = 0
        pause = min(LONGEST_PAUSE, 2.0**place.failures)
        place.failures += 1
        place.is_ready = False
        place.start_at = time.monotonic() + pause
        self._say(
            f"{place.program.name} ended (status {status}) and restarts in {pause:.0f} s; "
            f"its log: {log_path(self._home, place.program.name)}"
        )

    def _check(self, place: _Place, process: Process) -> None:
        trim_log(self._home, place.program.name, size=LOG_BYTES)
        if place.is_ready or place.program.once or not _is_ready(process):
            return
        place.is_ready = True
        self._say(f"{place.program.name} is ready")


def _is_ready(process: Process) -> bool:
    if process.program.is_ready:
        return process.program.is_ready()
    return time.monotonic() - process.started > SETTLED
