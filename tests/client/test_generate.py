"""The generated modules: every call of the API, with its types."""

import json
import subprocess
import sys
import zipfile

import pytest

# Calls whose answers are files.
FILES = {("get", "/api/v1/jobs/{job_id}/download/")}
PROGRAM = """
from datetime import UTC, datetime
from hubconsole_client import AsyncClient, Client

hub = Client("https://hub.example.org", "token")
for message in hub.messages.list(state=["FAILED"], receive_timestamp_from=datetime.now(UTC)):
    number: int = message["msg_id"]
    hub.messages.restart(number, reason="it is back", total=True)
hub.run_job(kind="export", filter={"msg_id": [1]}, options={"format": "csv"}, reason="for them")
hub.cp_queue.get_next(QueueNames="A", ServiceName="B")

async def list_states() -> list[str]:
    return [message["state"] async for message in AsyncClient("https://hub", "t").messages.list()]
"""


def check_types(folder, program: str) -> str:
    (folder / "program.py").write_text(program)
    (folder / "mypy.ini").write_text("[mypy]\nstrict = True\n")
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "program.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300).stdout


def test_every_call_of_the_api_has_a_method(description, installed):
    paths = json.loads(description.read_text())["paths"]
    expected = sum(len(methods) for methods in paths.values()) - len(FILES)
    for module in ("calls", "async_calls"):
        text = (installed / "hubconsole_client" / f"{module}.py").read_text()
        assert text.count("self._connection.send(") + text.count("self._connection.list_all(") == expected


@pytest.mark.parametrize(
    ("group", "names"),
    [
        ("Messages", {"list", "get", "restart", "cancel", "count", "timeline", "list_notes", "create_note"}),
        ("Jobs", {"list", "get", "create", "update", "pause", "retry_failed", "items"}),
        ("DocumentHistory", {"list_triggers", "get_trigger", "resume_trigger", "trigger_expiring", "check"}),
        ("Tokens", {"list", "get", "create", "delete"}),
        ("Me", {"get"}),
    ],
)
def test_calls_have_names_that_readers_expect(group, names):
    from hubconsole_client import calls

    assert names <= set(vars(getattr(calls, group)))


def test_a_program_with_right_types_passes_and_the_package_is_strict(installed, tmp_path):
    linked = tmp_path / "hubconsole_client"
    linked.symlink_to(installed / "hubconsole_client")
    assert check_types(tmp_path, PROGRAM).startswith("Success")


@pytest.mark.parametrize(
    "mistake",
    [
        'hub.messages.restart(1, raeson="it is back")',
        "hub.messages.restart(1)",
        'hub.messages.list(state="BROKEN")',
        'hub.run_job(kind="export", filter={"msgid": [1]}, reason="x")',
        'hub.me.get()["nobody"]',
    ],
)
@pytest.mark.slow
def test_a_mistake_is_found_by_a_type_checker(installed, tmp_path, mistake):
    (tmp_path / "hubconsole_client").symlink_to(installed / "hubconsole_client")
    assert "Found 1 error" in check_types(tmp_path, PROGRAM + mistake + "\n")


def test_the_synchronous_modules_have_no_words_of_the_other(installed):
    for name in ("calls", "client", "connection", "exactly_once"):
        text = (installed / "hubconsole_client" / f"{name}.py").read_text()
        assert "async" not in text.replace("asynchronous", ""), name
        assert "await" not in text, name


def test_the_worker_of_the_queue_is_part_of_the_package(wheel, installed):
    assert "hubconsole_client/worker/loop.py" in zipfile.ZipFile(wheel).namelist()
    shown = subprocess.run(
        [sys.executable, "-m", "hubconsole_client.worker", "--help"],
        cwd=installed,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "python -m hubconsole_client.worker" in shown.stdout
