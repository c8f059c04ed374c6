"""The document is good enough to generate a typed client from, which then talks to a running server."""

import os
import subprocess
import sys
import venv
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from messages_app.messages.models import Message
from tests.support.api_client import ApiClient, caller
from tests.support.factories import make_message

ROOT = Path(__file__).parent.parent.parent
# Code that a user of the generated client writes.
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
# A whole task: fifty failed messages of a service since a time, restarted once, followed and exported.
TASK = """
import csv, hashlib, io, sys
from datetime import datetime
from httpx import Timeout
from hub_console_client import AuthenticatedClient
from hub_console_client.api.jobs import jobs_create, jobs_download_retrieve
from hub_console_client.api.jobs import jobs_items_retrieve, jobs_retrieve
from hub_console_client.api.me import me_retrieve
from hub_console_client.api.messages import messages_list
from hub_console_client.models import (
    JobKind, JobState, MessageState, MessagesListStateItem, NewJobRequest, NewJobRequestFilter,
    NewJobRequestOptions, NewJobRequestOptionsFormat, OutcomeKind,
)

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2], prefix="Token", timeout=Timeout(120))
assert "restart_message" in me_retrieve.sync(client=client).permissions
page = messages_list.sync(
    client=client,
    state=[MessagesListStateItem.FAILED],
    service_name="billing",
    receive_timestamp_from=datetime.fromisoformat(sys.argv[3]),
    page_size=50,
)
ids = [row.msg_id for row in page.results]
assert {row.state for row in page.results} == {MessageState.FAILED}


def ended(body, key):
    job = jobs_create.sync(client=client, body=body, idempotency_key=key)
    assert jobs_create.sync(client=client, body=body, idempotency_key=key).job_id == job.job_id
    for _ in range(10):
        job = jobs_retrieve.sync(str(job.job_id), client=client, wait=30)
        if job.state in {JobState.DONE, JobState.FAILED, JobState.STOPPED}:
            return job


wanted = NewJobRequestFilter(msg_id=ids)
job = ended(NewJobRequest(kind=JobKind.RESTART, filter_=wanted, reason="it is back"), "once")
assert (job.state, job.kind, job.done) == (JobState.DONE, JobKind.RESTART, 50), job
items = jobs_items_retrieve.sync(str(job.job_id), client=client, page_size=500).results
assert sorted(item.msg_id for item in items) == sorted(ids)
for item in items:
    changed = (item.old_state, item.new_state, item.outcome_kind, item.outcome_reason)
    assert changed == (MessageState.FAILED, MessageState.PARTLY_FAILED, OutcomeKind.DONE, None), item

options = NewJobRequestOptions(format_=NewJobRequestOptionsFormat.CSV)
export = ended(NewJobRequest(kind=JobKind.EXPORT, filter_=wanted, options=options, reason="for them"), "file")
(file,) = export.report.files
text = jobs_download_retrieve.sync(str(export.job_id), client=client)
answer = client.get_httpx_client().get(file.download)
assert hashlib.sha256(answer.content).hexdigest() == file.sha256
rows = list(csv.DictReader(io.StringIO(text.removeprefix("\\ufeff"))))
assert sorted(int(row["msg_id"]) for row in rows) == sorted(ids)
print("through", len(rows))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> Path:
    return _environment(tmp_path_factory.mktemp("generator") / "venv")


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
class TestGeneratedClient:
    def test_talks_to_a_running_server(self, live_server, python, tmp_path):
        operator, failed = caller("operator"), make_message(state="FAILED")
        make_message(state="OK")
        _generate(operator, python, tmp_path)

        used = _run(python, "-c", SCRIPT, live_server.url, operator.token, cwd=tmp_path)

        changed = [str(failed.pk), "FAILED", "PARTLY_FAILED", "PARTLY_FAILED"]
        assert used.stdout.split() == changed, used.stderr

    def test_survives_a_whole_task(self, live_server, worker, python, tmp_path):
        operator = caller("operator")
        since = datetime(2026, 11, 1, 12, tzinfo=UTC)
        for number in range(55):
            make_message(state="FAILED", receive_timestamp=since + timedelta(minutes=number))
        make_message(state="FAILED", receive_timestamp=since - timedelta(days=1))
        make_message(state="FAILED", service_name="orders", receive_timestamp=since + timedelta(days=1))
        _generate(operator, python, tmp_path)

        used = _run(python, "-c", TASK, live_server.url, operator.token, since.isoformat(), cwd=tmp_path)

        assert used.stdout.split() == ["through", "50"], used.stderr
        assert Message.objects.filter(state="PARTLY_FAILED").count() == 50


def _generate(client: ApiClient, python: Path, place: Path) -> None:
    """Make a client, a package of its own at a place, from the document that a server gives."""
    (place / "openapi.json").write_bytes(client.get("schema/?format=json").content)
    made = _run(
        python.with_name("openapi-python-client"),
        "generate",
        *("--path", "openapi.json", "--output-path", "client", "--meta", "none", "--fail-on-warning"),
        cwd=place,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    (place / "client").rename(place / "hub_console_client")


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
