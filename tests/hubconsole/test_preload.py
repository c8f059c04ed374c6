import os
import subprocess
import sys
from pathlib import Path

import pytest

from hubconsole.preload import VARIABLE, share_times

_LOADED = """
import sys
import django
django.setup()
print("pyarrow.compute" in sys.modules)
from hubconsole.preload import warm_up
warm_up()
print("pyarrow.compute" in sys.modules)
"""


@pytest.fixture(autouse=True)
def unnamed(monkeypatch) -> None:
    """Name no folder, and forget the one that is named in a test."""
    monkeypatch.setenv(VARIABLE, "")


class TestWarmUp:
    def test_loads_what_a_first_request_would_wait_for(self):
        """In a process of its own, as a web server does."""
        found = subprocess.run([sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True)
        assert found.stdout.split() == ["False", "True"]


class TestShareTimes:
    def test_makes_one_folder_for_each_server_and_removes_those_of_servers_that_no_longer_exist(
        self, tmp_path: Path
    ):
        servers = tmp_path / "request_times"
        own, gone = servers / str(os.getppid()), servers / "4194305"  # beyond the largest process id
        for folder in (own, gone):
            folder.mkdir(parents=True)
            (folder / "histogram_1.db").touch()
        share_times(tmp_path)
        assert os.environ[VARIABLE] == str(own)
        assert (own / "histogram_1.db").exists()
        assert not gone.exists()

    def test_lets_each_process_report_for_itself_if_no_folder_can_be_made(self, tmp_path: Path):
        (tmp_path / "request_times").touch()
        share_times(tmp_path)
        assert os.environ[VARIABLE] == ""

    def test_uses_a_folder_that_is_named(self, tmp_path: Path, monkeypatch):
        monkeypatch.setenv(VARIABLE, "/named")
        share_times(tmp_path)
        assert os.environ[VARIABLE] == "/named"
        assert not list(tmp_path.iterdir())
