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

from hubconsole.devserver.processes import (
    LOG_BYTES,
    STOP_SECONDS,
    CannotStart,
    Process,
    Program,
    end_all,
    set_log_aside,
    trim_log,
)
from hubconsole.devserver.progress import QUIET_SECONDS, Progress, describe_load, last_words, why_ended

MAX_PAUSE = 30.0  # seconds between two starts of a program that keeps ending
MAX_FAILURES = 3  # of a program that was ready, while others start
STEADY = 60.0  # seconds after which a program counts as stable
SETTLED = 3.0  # seconds after which a program without a readiness check counts as started
ROUND = 0.25  # seconds
WAITING_SECONDS = 15.0  # between two lines about what is not ready


class Interrupts:
    """Raise KeyboardInterrupt on SIGINT, SIGTERM and SIGHUP, but never before a new child is recorded."""

    NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self._is_held = False
        self._is_pending = False

    @contextlib.contextmanager
    def handle_signals(self) -> Iterator[None]:
        """Handle the three signals inside the block, and restore their previous handlers afterwards."""
        before = {number: signal.signal(number, self._handle_signal) for number in self.NUMBERS}
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

    def _handle_signal(self, number: int, frame: object) -> None:
        if self._is_held:
            self._is_pending = True
            return
        raise KeyboardInterrupt


@dataclass
class _Place:
    """A program with its process, or with the time of its next start."""

    program: Program
    process: Process | None = None
    progress: Progress | None = None  # None once it is ready.
    failures: int = 0
    start_at: float = 0.0  # monotonic seconds
    is_ready: bool = False
    has_served: bool = False


class Supervisor:
    """
    Starts programs, restarts them when they end, and ends all of them in reverse order.

    Args:
        quiet_seconds: the time without any work after which a program that is not ready hangs.
        waiting_seconds: the time between two lines about what is not ready.
    """

    def __init__(
        self,
        *,
        home,
        interrupts: Interrupts,
        say: Callable[[str], None],
        quiet_seconds: float = QUIET_SECONDS,
        waiting_seconds: float = WAITING_SECONDS,
    ) -> None:
        self._home = home
        self._interrupts = interrupts
        self._say = say
        self._quiet_seconds = quiet_seconds
        self._waiting_seconds = waiting_seconds
        self._told_at = time.monotonic()
        self._may_restart = True
        self._places: list[_Place] = []

    def start(self, program: Program) -> None:
        """Start `program`, and keep it running from now on."""
        set_log_aside(self._home, program.name)
        place = _Place(program)
        self._places.append(place)
        self._start_process(place)
        self._told_at = time.monotonic()

    def wait(self) -> None:
        """
        Supervise until all programs are ready, as long as they make progress.

        Raises:
            CannotStart: a program hangs, or stopped at startup.
        """
        self._may_restart = False
        while not all(place.is_ready for place in self._places):
            self.look_after()
            for place in self._places:
                if place.progress and (why := place.progress.why_hopeless()):
                    raise CannotStart(why)
            time.sleep(ROUND)
        self._may_restart = True

    def run(self, *, when_ready: Callable[[], None]) -> None:
        """Supervise until a signal comes; call `when_ready` once all programs are ready."""
        is_told = False
        while True:
            self.look_after()
            self._report_hopeless()
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
                self._check_process(place, place.process)
        self._report_waiting()

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

    def _start_process(self, place: _Place) -> None:
        with self._interrupts.defer_signals():
            place.process = Process(place.program, self._home)
        if place.program.is_ready:
            place.progress = Progress(place.process, quiet_seconds=self._quiet_seconds)

    def _start_when_due(self, place: _Place) -> None:
        if not place.program.once and time.monotonic() >= place.start_at:
            self._start_process(place)

    def _take_out(self, place: _Place, process: Process) -> None:
        """
        Note the end of a process, and the time of its program's next start.

        Raises:
            CannotStart: restarting it is useless, or it ended before it was ready while `wait` waits for it.
        """
        status = process.exit_status
        process.forget()
        place.process = place.progress = None
        if place.program.once:
            place.is_ready = True
            self._say(f"{place.program.name} " + ("is done" if status == 0 else f"failed (status {status})"))
            return
        is_served = place.has_served and place.failures < MAX_FAILURES
        if not (self._may_restart or is_served):
            raise CannotStart(why_ended(process, status or 0))
        if reason := place.program.explain():
            raise CannotStart(reason)
        if time.monotonic() - process.started > STEADY:
            place.failures = 0
        pause = min(MAX_PAUSE, 2.0**place.failures)
        place.failures += 1
        place.is_ready = False
        place.start_at = time.monotonic() + pause
        self._say(
            f"{place.program.name} ended (status {status}) and restarts in {pause:.0f} s; "
            f"the end of its log: {last_words(process)}"
        )

    def _check_process(self, place: _Place, process: Process) -> None:
        trim_log(self._home, place.program.name, size=LOG_BYTES)
        if place.is_ready or place.program.once:
            return
        if _is_ready(process):
            place.is_ready = place.has_served = True
            place.progress = None
            self._say(f"{place.program.name} is ready")
        elif place.progress:
            place.progress.measure_work()

    def _report_waiting(self) -> None:
        """Say now and then what is not ready yet, and why."""
        now = time.monotonic()
        waiting = {place.program.name: place.progress for place in self._places if place.progress}
        if not waiting or now - self._told_at < self._waiting_seconds:
            return
        self._told_at = now
        clauses = (f"{name}: {progress.describe()}" for name, progress in waiting.items())
        self._say(f"waiting for {'; '.join(clauses)}{describe_load()}")

    def _report_hopeless(self) -> None:
        """Say once what will not become ready. The others are kept running."""
        for place in self._places:
            if place.progress and (why := place.progress.why_hopeless()):
                place.progress = None
                self._say(f"{why} Everything else keeps running.")


def _is_ready(process: Process) -> bool:
    if process.program.is_ready:
        return process.program.is_ready()
    return time.monotonic() - process.started > SETTLED
