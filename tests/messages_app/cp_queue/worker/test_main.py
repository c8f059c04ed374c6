"""The worker as a service runs it: a process of its own, against a real server."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from messages_app.cp_queue.models import CpDispatch, CpService
from tests.support.api_client import caller
from tests.support.eventually import eventually
from tests.support.queues import remaining_messages, store

pytestmark = pytest.mark.django_db(transaction=True)

# Writes the message's object to a file, and waits for the file `go` if its queue is PAGECOUNT.
PROGRAM = (
    "import os, pathlib, threading\n"
    "place = pathlib.Path(os.environ['PLACE'])\n"
    "(place / os.environ['CP_OBJECT_ID']).write_text(os.environ['CP_MESSAGE_GUID'])\n"
    "waits = os.environ['CP_QUEUE_NAME'] == 'PAGECOUNT'\n"
    "while waits and not (place / 'go').exists(): threading.Event().wait(0.02)\n"
    "raise SystemExit(int(os.environ.get('CP_EXIT', '0')))\n"
)
COMMAND = ("--", sys.executable, "-c", PROGRAM)


@pytest.fixture
def start(live_server, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen]]:
    """Give a function that starts a worker; its arguments are the worker's."""
    token = caller("cp_service", username="indexer").token
    environment = {"HUBCONSOLE_TOKEN": token, "PLACE": str(tmp_path), "PYTHONPATH": f"{tmp_path}:."}
    started: list[subprocess.Popen] = []

    def start_worker(*arguments: str, service: str = "W1", **more: str) -> subprocess.Popen:
        worker = subprocess.Popen(
            [
                *(sys.executable, "-m", "messages_app.cp_queue.worker", "--url", live_server.url),
                *("--service", service, "--longest-pause", "0.3", *arguments),
            ],
            env=os.environ | environment | more,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(worker)
        return worker

    yield start_worker
    for worker in started:
        worker.kill()
        worker.communicate()


def reasons() -> list[str]:
    return list(CpDispatch.objects.order_by("dispatch_id").values_list("reason", flat=True))


class TestWorker:
    def test_runs_a_program_for_each_message_until_it_is_stopped(self, start, tmp_path):
        for number in range(3):
            store(f"A-{number}", osid=number)
        worker = start("--queues", "RENDITION", *COMMAND)
        eventually(lambda: len(reasons()) == 3)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(timeout=20) == 0
        assert not remaining_messages()
        assert {path.name for path in tmp_path.iterdir()} == {"0", "1", "2"}

    @pytest.mark.parametrize(("status", "reason"), [("75", "RETRY"), ("3", "FAILED: exit 3")])
    def test_shows_how_the_program_ended(self, start, status, reason):
        store("A")
        worker = start("--queues", "RENDITION", "--most", "1", *COMMAND, CP_EXIT=status)
        assert worker.wait(timeout=30) == 0
        assert reasons() == [reason]

    def test_releases_what_an_earlier_run_held(self, start):
        store("A", lock="W1")
        other = store("B", osid=6, age="1 hour", lock="W2")
        worker = start("--queues", "RENDITION", "--most", "1", *COMMAND)
        assert worker.wait(timeout=30) == 0
        assert remaining_messages() == {other: "W2"}

    @pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
    def test_ends_the_message_in_progress_before_it_stops(self, start, tmp_path, name):
        store("A", "PAGECOUNT")
        store("B", "PAGECOUNT", osid=6, age="1 hour")
        worker = start("--queues", "PAGECOUNT", *COMMAND)
        eventually((tmp_path / "5").exists)
        worker.send_signal(name)
        (tmp_path / "go").touch()
        assert worker.wait(timeout=20) == 0
        assert (reasons(), len(remaining_messages())) == (["OK"], 1)

    def test_retries_what_it_had_to_end(self, start, tmp_path):
        guid = store("A", "PAGECOUNT")
        worker = start("--queues", "PAGECOUNT", "--grace", "0.1", *COMMAND)
        eventually((tmp_path / "5").exists)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(timeout=20) == 0
        assert (reasons(), remaining_messages()) == (["RETRY"], {guid: None})

    def test_calls_a_function(self, start, tmp_path):
        (tmp_path / "handler.py").write_text(
            "from messages_app.cp_queue.worker.work import TryAgain\n"
            "def handle(message):\n"
            "    if message.object_id == 1: raise TryAgain\n"
            "    if message.object_id == 2: raise ValueError('no\\0t an image')\n"
            "    if message.object_id == 3: return 'nothing to do'\n"
        )
        for number in range(4):
            store(f"A-{number}", osid=number, age=f"{number} minutes")
        worker = start("--queues", "RENDITION", "--most", "4", "--callable", "handler:handle")
        assert worker.wait(timeout=30) == 0
        assert reasons() == ["OK", "RETRY", "FAILED: ValueError: not an image", "nothing to do"]

    def test_ends_if_the_server_refuses_it(self, start):
        worker = start("--queues", "RENDITION", *COMMAND, HUBCONSOLE_TOKEN="wrong")
        _, said = worker.communicate(timeout=20)
        assert worker.returncode == 1
        assert "the server refused the request: 401" in said

    @pytest.mark.parametrize(
        ("arguments", "more", "said"),
        [
            (("--queues", "RENDITION"), {}, "Give a program"),
            (("--queues", "RENDITION", "--callable", "nowhere:handle"), {}, "no function 'nowhere:handle'"),
            (("--queues", "RENDITION", *COMMAND), {"HUBCONSOLE_TOKEN": ""}, "No token"),
            (("--queues", "RENDITION", "--url", "ftp://x", *COMMAND), {}, "not a server address"),
            (COMMAND, {}, "--queues"),
            (("--queues", " ,", *COMMAND), {}, "--queues needs the name of a queue"),
        ],
    )
    def test_reports_errors_with_its_arguments(self, start, arguments, more, said):
        worker = start(*arguments, **more)
        _, printed = worker.communicate(timeout=20)
        assert worker.returncode == 2
        assert said in printed
        assert "Traceback" not in printed
        assert not CpService.objects.exists()
