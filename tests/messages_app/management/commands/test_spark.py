import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from messages_app.core.embedded_servers import LOOPBACK, SPARK, claim_endpoint, is_listening, last_endpoint
from tests.support.eventually import eventually

REPOSITORY = Path(__file__).resolve().parents[4]


@pytest.fixture
def home(settings, tmp_path: Path) -> Path:
    settings.HUBCONSOLE_HOME, settings.SPARK_REMOTE = tmp_path, ""
    return tmp_path


@pytest.fixture
def server(home: Path) -> Iterator[subprocess.Popen]:
    """Run the command in a process of its own, which becomes Java."""
    environment = os.environ | {"HUBCONSOLE_HOME": str(home), "SPARK_MASTER": "local[1]"}
    environment.pop("SPARK_REMOTE", None)
    process = subprocess.Popen(
        [sys.executable, "manage.py", "spark"], cwd=REPOSITORY, env=environment, stderr=subprocess.DEVNULL
    )
    yield process
    process.kill()
    process.wait()


class TestSpark:
    def test_is_refused_if_another_server_is_configured(self, home, settings):
        settings.SPARK_REMOTE = "sc://connect.example.org:15002"
        with pytest.raises(CommandError, match="SPARK_REMOTE is set to another server"):
            call_command("spark")

    def test_is_refused_while_the_server_of_up_is_running(self, home):
        claimed = claim_endpoint(home, SPARK)
        with (
            socket.create_server((LOOPBACK, claimed.port)),
            pytest.raises(CommandError, match="is already running"),
        ):
            call_command("spark")
        assert last_endpoint(home, SPARK) == claimed

    @pytest.mark.slow
    def test_serves_only_the_home_until_it_is_ended(self, home, server):
        lock = home / SPARK / "lock"
        eventually(lock.exists, 60)
        with pytest.raises(CommandError, match="is already running"):
            call_command("spark")
        eventually(lambda: is_listening(last_endpoint(home, SPARK).port), 600)
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) in {143, -signal.SIGTERM}
