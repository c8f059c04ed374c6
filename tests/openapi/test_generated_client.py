"""The document is good enough to generate a typed client from, which then talks to a running server."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.api_client import caller
from tests.factories import make_message

ROOT = Path(__file__).parent.parent.parent
# What a user of the generated client writes.
SCRIPT = """
import sys
from hub_console_client import AuthenticatedClient
from hub_console_client.api.messages import messages_list, messages_restart_create, messages_retrieve
from hub_console_client.models import MessagesListStateItem, RestartRequest

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2], prefix="Token")
page = messages_list.sync(client=client, state=[MessagesListStateItem.FAILED])
(row,) = page.results
msg_id = str(row.msg_id)
done = messages_restart_create.sync(msg_id, client=client, body=RestartRequest(reason="it is back"))
print(msg_id, row.state, done.state, messages_retrieve.sync(msg_id, client=client).state)
"""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
class TestGeneratedClient:
    def test_talks_to_a_running_server(self, live_server, tmp_path):
        python = _environment(tmp_path / "venv")
        operator, failed = caller("operator"), make_message(state="FAILED")
        make_message(state="OK")
        document = operator.get("schema/", Accept="application/vnd.oai.openapi+json").content
        (tmp_path / "openapi.json").write_bytes(document)

        made = _run(
            python.with_name("openapi-python-client"),
            "generate",
            *("--path", "openapi.json", "--output-path", "client", "--meta", "none", "--fail-on-warning"),
            cwd=tmp_path,
        )
        assert made.returncode == 0, made.stdout + made.stderr
        (tmp_path / "client").rename(tmp_path / "hub_console_client")
        used = _run(python, "-c", SCRIPT, live_server.url, operator.token, cwd=tmp_path)

        told = [str(failed.pk), "FAILED", "PARTLY_FAILED", "PARTLY_FAILED"]
        assert used.stdout.split() == told, used.stderr


def _environment(place: Path) -> Path:
    """Make an environment of its own: the generator pins other versions of what we check our code with."""
    venv.create(place, with_pip=True)
    python = place / "bin" / Path(sys.executable).name
    python = python if python.exists() else place / "bin" / "python"
    _run(python, "-m", "pip", "install", "--quiet", "-r", ROOT / "requirements-client.txt").check_returncode()
    return python


def _run(*command: object, cwd: Path | None = None) -> subprocess.CompletedProcess:
    # The generator looks for its formatter on the path.
    path = f"{Path(str(command[0])).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
