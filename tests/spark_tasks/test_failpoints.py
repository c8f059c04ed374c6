"""Failpoints in a process of their own: off unless a test's folder is there, and obeyed when it is."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from spark_tasks.failpoints import VARIABLE, Order, Step
from tests.faults.steps import Failpoints

COME_TWICE = """
from spark_tasks.failpoints import Step, pass_failpoint
pass_failpoint(Step.ENDING)
pass_failpoint(Step.ENDING)
"""


def come_twice(folder: Path) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", COME_TWICE], env=os.environ | {VARIABLE: str(folder)})


@pytest.fixture
def failpoints(tmp_path: Path) -> Failpoints:
    return Failpoints(tmp_path / "failpoints")


class TestFailpoint:
    def test_does_nothing_if_no_test_made_a_folder(self, tmp_path: Path):
        assert come_twice(tmp_path / "missing").wait(timeout=30) == 0
        assert not list(tmp_path.iterdir())

    def test_records_which_process_reached_it(self, failpoints: Failpoints):
        process = come_twice(failpoints.folder)

        assert process.wait(timeout=30) == 0
        assert failpoints.came_to(Step.ENDING) == [process.pid, process.pid]

    def test_kills_a_process_at_the_given_time(self, failpoints: Failpoints):
        failpoints.order(Step.ENDING, Order.KILL, time_no=2)

        assert come_twice(failpoints.folder).wait(timeout=30) == -signal.SIGKILL
        assert len(failpoints.came_to(Step.ENDING)) == 2

    def test_holds_a_process_until_it_is_released(self, failpoints: Failpoints):
        failpoints.order(Step.ENDING, Order.WAIT)
        process = come_twice(failpoints.folder)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)

        failpoints.let_go(Step.ENDING)

        assert process.wait(timeout=30) == 0
