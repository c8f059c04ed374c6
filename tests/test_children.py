"""The processes below another one, while the list still has an ended one."""

import subprocess
from collections.abc import Iterator

import psutil
import pytest

from tests.support.children import child_by_command, living_children
from tests.support.eventually import eventually
from tests.support.memory import lift_limit, limit_memory

# The first child ends, and the program that replaces the shell never removes it from the list.
_PROGRAM = "sleep 0.1 & sleep 612.5 & exec sleep 612.6"


@pytest.fixture
def leader() -> Iterator[psutil.Process]:
    """Return a process with an ended child and a running one."""
    with subprocess.Popen(["sh", "-c", _PROGRAM]) as shell:
        process = psutil.Process(shell.pid)
        eventually(lambda: psutil.STATUS_ZOMBIE in [each.status() for each in process.children()], 30)
        children = process.children()
        yield process
        for each in (*children, process):
            each.kill()


class TestChildByCommand:
    def test_passes_over_a_process_that_has_ended(self, leader):
        assert child_by_command(leader.pid, "sleep 612.5").cmdline() == ["sleep", "612.5"]

    def test_is_not_the_process_itself(self, leader):
        with pytest.raises(LookupError, match=r"'sleep 612\.6' in its command"):
            child_by_command(leader.pid, "sleep 612.6")


class TestLivingChildren:
    def test_are_without_a_process_that_has_ended(self, leader):
        assert [child.cmdline() for child in living_children(leader.pid)] == [["sleep", "612.5"]]


class TestLimitMemory:
    def test_passes_over_a_process_that_has_ended(self, leader):
        limit_memory(leader.pid, 100_000_000)
        lift_limit(leader.pid)
