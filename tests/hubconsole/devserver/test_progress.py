import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hubconsole.devserver import processes, progress
from hubconsole.devserver.processes import Process, Program
from hubconsole.devserver.progress import Progress, wait_ready
from messages_app.core.embedded_servers import CannotStart
from tests.support.eventually import eventually

# A program that is ready once it has used a second of CPU time.
WORKER = """
import pathlib, sys, time
while time.process_time() < 1:
    pass
pathlib.Path(sys.argv[1]).touch()
time.sleep(600)
"""
POLLER = "import time\nwhile True: time.sleep(0.05)"
SLEEPER = "import signal; signal.pause()"
QUIET = 2.0  # seconds


@pytest.fixture
def start(tmp_path: Path) -> Iterator:
    started = []

    def run(text: str, *arguments: str, **more: object) -> Process:
        command = [sys.executable, "-c", text, *arguments]
        more = {"is_ready": lambda: False} | more
        process = Process(Program(name="child", command=command, **more), tmp_path)
        started.append(process)
        return process

    yield run
    processes.end_all(started, seconds=0.2)


@contextmanager
def _pulses(pid: int, *, run: float, stop: float) -> Iterator[None]:
    """Let a process run only for a moment now and then, as on a machine with too much to do."""
    ended = threading.Event()

    def pulse() -> None:
        while not ended.is_set():
            os.kill(pid, signal.SIGSTOP)
            ended.wait(stop)
            os.kill(pid, signal.SIGCONT)
            ended.wait(run)

    thread = threading.Thread(target=pulse)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        os.kill(pid, signal.SIGCONT)


class TestWaitReady:
    def test_waits_for_a_slow_program_far_beyond_the_time_in_which_one_hangs(self, start, tmp_path: Path):
        ready = tmp_path / "ready"
        process = start(WORKER, str(ready), is_ready=ready.exists)

        with _pulses(process.handle.pid, run=0.1, stop=0.6):
            wait_ready(process, quiet_seconds=QUIET)

        assert time.monotonic() - process.started > 2 * QUIET

    def test_waits_for_a_program_whose_log_has_new_lines(self, start, tmp_path: Path):
        ready = tmp_path / "ready"
        process = start(
            "import pathlib, sys, time\n"
            "for word in 'read sort merge write check'.split():\n"
            "    print(word, flush=True); time.sleep(1)\n"
            "pathlib.Path(sys.argv[1]).touch(); time.sleep(600)",
            str(ready),
            is_ready=ready.exists,
        )

        wait_ready(process, quiet_seconds=QUIET)

        assert time.monotonic() - process.started > 2 * QUIET

    def test_names_a_program_that_is_stopped_and_how_to_continue_it(self, start):
        process = start(POLLER)
        os.kill(process.handle.pid, signal.SIGSTOP)

        with pytest.raises(CannotStart) as refused:
            wait_ready(process, quiet_seconds=QUIET)

        assert str(refused.value) == (
            "child was stopped by a signal and has done nothing for 2 s: "
            f"`kill -CONT {process.handle.pid}` continues it. {progress.AGAIN}"
        )
        assert time.monotonic() - process.started < 15

    @pytest.mark.parametrize(
        "text",
        [
            SLEEPER,
            POLLER,
            # It refuses each question with one line.
            "import time\nwhile True: print('FATAL: 12:00:01 starting up', time.time(), flush=True);"
            " time.sleep(0.1)",
        ],
    )
    def test_gives_up_on_a_program_that_does_nothing(self, start, text: str):
        process = start(text, describe=lambda: "it does not listen yet")

        with pytest.raises(CannotStart, match="child has made no progress for 2 s: it does not listen yet; "):
            wait_ready(process, quiet_seconds=QUIET)

        assert time.monotonic() - process.started < 15

    def test_gives_up_on_a_program_that_works_without_end(self, start, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(progress, "MAX_WORK_SECONDS", 1.0)
        process = start("while True: pass")

        with pytest.raises(CannotStart, match=r"child is not ready after [12] s of CPU time: "):
            wait_ready(process, quiet_seconds=QUIET)

    def test_reports_the_last_words_of_a_program_that_ended_and_what_to_do(self, start, tmp_path: Path):
        process = start("raise SystemExit('the port is taken')")

        with pytest.raises(CannotStart) as refused:
            wait_ready(process)

        assert str(refused.value) == (
            f"child stopped at startup (status 1): the port is taken ({tmp_path}/log/child.log)."
            " Correct this, then run `up` again."
        )

    def test_gives_the_programs_own_reason(self, start):
        process = start("", explain=lambda: "the disk is full")

        with pytest.raises(CannotStart, match=r"^the disk is full$"):
            wait_ready(process)


class TestProgress:
    def test_counts_the_work_of_children_too(self, start):
        process = start("import subprocess, sys; subprocess.run([sys.executable, '-c', 'while True: pass'])")
        observed = Progress(process, quiet_seconds=1.0)

        eventually(lambda: (observed.measure_work(), "3 s of CPU time" in observed.describe())[1])

        assert observed.why_hopeless() is None

    def test_does_not_count_a_time_in_which_it_did_not_look(self, start, monkeypatch: pytest.MonkeyPatch):
        """The whole machine may have been paused."""
        monkeypatch.setattr(progress, "_MAX_GAP", 0.1)
        process = start(SLEEPER)
        eventually(lambda: process.handle.status() == "sleeping")
        observed = Progress(process, quiet_seconds=0.5)
        observed.measure_work()

        time.sleep(1)
        observed.measure_work()

        assert observed.why_hopeless() is None
