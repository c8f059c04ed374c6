import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from hubconsole.devserver import supervisor
from hubconsole.devserver.processes import Program
from hubconsole.devserver.supervisor import Interrupts, Supervisor
from messages_app.core.embedded_servers import CannotStart
from tests.support.eventually import eventually


class Watched:
    """A supervisor and what it said."""

    def __init__(self, home: Path) -> None:
        self.said: list[str] = []
        self.supervisor = Supervisor(
            home=home,
            interrupts=Interrupts(),
            say=self.said.append,
            quiet_seconds=2,
            waiting_seconds=1,
        )

    def look(self) -> str:
        self.supervisor.look_after()
        return "\n".join(self.said)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    watched = Watched(tmp_path)
    yield watched
    watched.supervisor.stop()


def _program(text: str, **more: object) -> Program:
    return Program(name="child", command=[sys.executable, "-c", text], **more)


class TestLookAfter:
    def test_starts_again_with_longer_and_longer_pauses(self, watched: Watched):
        watched.supervisor.start(_program("raise SystemExit(3)"))

        said = eventually(lambda: watched.look().count("status 3") >= 2 and watched.look())

        assert "restarts in 1 s" in said
        assert "restarts in 2 s" in said

    def test_does_not_repeat_a_program_that_runs_once(self, watched: Watched):
        watched.supervisor.start(_program("", once=True))

        eventually(lambda: "child is done" in watched.look())

        assert watched.look().count("child") == 1

    def test_gives_up_if_another_start_is_useless(self, watched: Watched):
        watched.supervisor.start(_program("", explain=lambda: "the disk is full"))

        with pytest.raises(CannotStart, match="the disk is full"):
            eventually(lambda: watched.look() and False)


class TestWait:
    def test_fails_when_a_program_ends_at_its_start(self, watched: Watched):
        watched.supervisor.start(_program("raise SystemExit('no port')", is_ready=lambda: False))

        with pytest.raises(CannotStart, match=r"child stopped at startup \(status 1\): no port .*child\.log"):
            watched.supervisor.wait()

        assert watched.said == []

    def test_fails_when_a_program_hangs(self, watched: Watched):
        watched.supervisor.start(_program("import signal; signal.pause()", is_ready=lambda: False))

        with pytest.raises(CannotStart, match="child has made no progress for 2 s: it does not answer yet"):
            watched.supervisor.wait()

    def test_says_what_is_not_ready_and_why(self, watched: Watched, tmp_path: Path):
        ready = tmp_path / "ready"
        watched.supervisor.start(
            _program(
                "import pathlib, sys, time\n"
                "while time.process_time() < 3: pass\n"
                "pathlib.Path('ready').touch(); time.sleep(600)",
                directory=tmp_path,
                is_ready=ready.exists,
                describe=lambda: "it counts",
            )
        )

        watched.supervisor.wait()

        assert re.match(r"waiting for child: it counts \(1 s, [01] s of CPU time\)", watched.said[0])
        assert watched.said[-1] == "child is ready"

    def test_starts_again_what_had_been_ready(self, watched: Watched, tmp_path: Path):
        """A server that the others use may end while they start."""
        watched.supervisor.start(
            _program("import time; time.sleep(600)", directory=tmp_path, is_ready=lambda: True)
        )
        watched.supervisor.wait()
        pid = json.loads((tmp_path / "run" / "child.json").read_text())["pid"]
        psutil.Process(pid).kill()
        eventually(lambda: psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
        watched.look()

        watched.supervisor.wait()

        assert "child ended (status -9) and restarts in 1 s" in watched.said[1]
        assert watched.said[-1] == "child is ready"

    def test_gives_up_on_a_program_that_had_been_ready_and_ends_again_and_again(
        self, watched: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(supervisor, "MAX_PAUSE", 0.1)
        first = tmp_path / "first"
        program = _program(
            "import pathlib, sys, time\n"
            "if pathlib.Path('first').exists(): sys.exit('the disk is gone')\n"
            "pathlib.Path('first').touch(); time.sleep(600)",
            directory=tmp_path,
            is_ready=first.exists,
        )
        watched.supervisor.start(program)
        watched.supervisor.wait()
        psutil.Process(json.loads((tmp_path / "run" / "child.json").read_text())["pid"]).kill()
        busy = [sys.executable, "-c", "while True: pass"]
        watched.supervisor.start(Program(name="other", command=busy, is_ready=lambda: False))

        with pytest.raises(CannotStart, match=r"child stopped at startup \(status 1\): the disk is gone"):
            watched.supervisor.wait()


class TestRun:
    def test_says_once_what_hangs_and_keeps_the_others_running(self, watched: Watched):
        watched.supervisor.start(_program("import signal; signal.pause()", is_ready=lambda: False))

        def end_after_the_word() -> None:
            eventually(lambda: len([line for line in watched.said if "no progress" in line]) == 1)
            time.sleep(1)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=end_after_the_word)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            watched.supervisor.run(when_ready=lambda: None)
        thread.join()

        said = [line for line in watched.said if "no progress" in line]
        assert len(said) == 1
        assert said[0].endswith("has the cause. Everything else keeps running.")
