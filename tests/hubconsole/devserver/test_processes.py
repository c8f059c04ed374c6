import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from hubconsole.devserver import processes
from hubconsole.devserver.processes import Process, Program
from messages_app.core.embedded_servers import CannotStart
from tests.support.eventually import eventually

STUBBORN = """
import signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
print(child.pid, flush=True)
signal.pause()  # Not until the child ends: a kill of the child first would be a clean end of this one.
"""


def _python(text: str, name: str = "child") -> Program:
    return Program(name=name, command=[sys.executable, "-c", text])


def _is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


class TestProcess:
    def test_writes_its_output_to_a_log(self, tmp_path: Path):
        process = Process(_python("print('ready to serve')"), tmp_path)

        eventually(lambda: process.exit_status == 0)
        assert processes.log_tail(tmp_path, "child") == "ready to serve\n"

    def test_names_a_program_that_is_missing(self, tmp_path: Path):
        with pytest.raises(CannotStart, match="No such file"):
            Process(Program(name="child", command=["/no/such/program"]), tmp_path)


class TestEndAll:
    def test_kills_a_program_that_does_not_listen_and_its_children(self, tmp_path: Path):
        process = Process(_python(STUBBORN), tmp_path)
        grandchild = int(eventually(lambda: processes.log_tail(tmp_path, "child")))

        processes.end_all([process], seconds=0.2)

        assert _is_gone(process.handle.pid)
        assert _is_gone(grandchild)
        assert not list((tmp_path / "run").iterdir())


class TestEndLeftovers:
    def test_ends_what_a_killed_supervisor_left(self, tmp_path: Path):
        process = Process(_python(STUBBORN), tmp_path)
        grandchild = int(eventually(lambda: processes.log_tail(tmp_path, "child")))

        assert processes.end_leftovers(tmp_path, seconds=0.2) == 1

        assert process.exit_status == -signal.SIGKILL
        assert _is_gone(grandchild)

    def test_ends_the_children_of_a_child_that_no_longer_exists(self, tmp_path: Path):
        process = Process(_python(STUBBORN), tmp_path)
        grandchild = int(eventually(lambda: processes.log_tail(tmp_path, "child")))
        process.handle.kill()
        eventually(lambda: process.exit_status is not None)

        assert processes.end_leftovers(tmp_path, seconds=5) == 1

        assert _is_gone(grandchild)

    def test_does_not_end_a_foreign_process_with_a_recorded_pid(self, tmp_path: Path):
        with subprocess.Popen(["sleep", "600"]) as stranger:
            (tmp_path / "run").mkdir()
            record = {"pid": stranger.pid, "started": psutil.boot_time(), "stop_signal": signal.SIGTERM}
            (tmp_path / "run" / "web.json").write_text(json.dumps(record))

            assert processes.end_leftovers(tmp_path) == 0

            assert stranger.poll() is None
            stranger.kill()

    @pytest.mark.parametrize("text", ["", "{}", "[1]", '{"pid": 99999999, "started": 1, "stop_signal": 15}'])
    def test_ignores_a_useless_pid_file(self, tmp_path: Path, text: str):
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "web.json").write_text(text)

        assert processes.end_leftovers(tmp_path) == 0


class TestTrimLog:
    def test_moves_a_long_log_aside_and_continues(self, tmp_path: Path):
        with processes.open_log(tmp_path, "web") as log:
            log.write(b"x" * 100)
            log.flush()

            processes.trim_log(tmp_path, "web", size=50)

            log.write(b"after")
        assert processes.log_tail(tmp_path, "web") == "after"
        assert processes.log_path(tmp_path, "web").with_suffix(".log.1").stat().st_size == 100

    def test_leaves_a_short_log(self, tmp_path: Path):
        with processes.open_log(tmp_path, "web") as log:
            log.write(b"x")

        processes.trim_log(tmp_path, "web", size=50)

        assert os.listdir(tmp_path / "log") == ["web.log"]
