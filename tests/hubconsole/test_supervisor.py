import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hubconsole.processes import CannotStart, Program
from hubconsole.supervisor import Interrupts, Supervisor
from tests.support.eventually import eventually


class Watched:
    """A supervisor and what it said."""

    def __init__(self, home: Path) -> None:
        self.said: list[str] = []
        self.supervisor = Supervisor(home=home, interrupts=Interrupts(), say=self.said.append)

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
        watched.supervisor.start(_program("raise SystemExit(3)", is_ready=lambda: False))

        with pytest.raises(CannotStart, match=r"child stopped at startup; log: .*child\.log"):
            watched.supervisor.wait(seconds=30)

    def test_fails_when_a_program_never_serves(self, watched: Watched):
        watched.supervisor.start(
            _program('input_never = __import__("signal").pause()', is_ready=lambda: False)
        )

        with pytest.raises(CannotStart, match="child is not ready after 1 s"):
            watched.supervisor.wait(seconds=1)
