"""`hubconsole service NAME`, with the real program that it becomes."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import psutil
import pytest

from hubconsole.devserver.programs import is_serving
from messages_app.core.embedded_servers import find_free_port
from tests.hubconsole.console import REPOSITORY
from tests.support.eventually import eventually
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db


@pytest.fixture
def start_service() -> Iterator[Callable[..., psutil.Process]]:
    """Give a function that runs a service as the unit of systemd does, and returns its process."""
    services: list[subprocess.Popen] = []

    def start(*words: str) -> psutil.Process:
        command = [sys.executable, "-m", "hubconsole", "service", *words]
        services.append(subprocess.Popen(command, cwd=REPOSITORY, env=os.environ | database_of_tests()))
        return psutil.Process(services[-1].pid)

    yield start
    for service in services:
        service.terminate()
        service.wait(timeout=60)


class TestService:
    def test_becomes_gunicorn_with_further_options(self, start_service):
        port = find_free_port()
        process = start_service("web", "--", "--bind", f"127.0.0.1:{port}", "--workers", "1")
        eventually(lambda: is_serving("127.0.0.1", port), 300)
        assert "gunicorn" in process.cmdline()
        assert process.environ()["HUBCONSOLE_PROCESS"] == "web"
        assert len(process.children()) == 1
        listening = [each.laddr.port for each in process.net_connections() if each.status == "LISTEN"]
        assert listening == [port]

    def test_becomes_beat(self, start_service):
        process = start_service("beat")
        eventually(lambda: "celery" in process.cmdline(), 60)
        assert process.environ()["HUBCONSOLE_PROCESS"] == "beat"
        assert process.cmdline()[-3:] == ["beat", "--loglevel", "INFO"]

    def test_refuses_an_unknown_name(self):
        command = [sys.executable, "-m", "hubconsole", "service", "webb"]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
        assert done.returncode == 2
        assert "invalid choice: 'webb'" in done.stderr
