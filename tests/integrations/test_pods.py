"""The documents of deploy/kubernetes, built by Kustomize, and run as pods."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator

import kubernetes_validate
import pytest
import requests

from messages_app.core.embedded_servers import find_free_port
from tests.integrations.container_images import build_images, run_podman
from tests.integrations.pods import Pods
from tests.support.eventually import eventually
from tests.support.manifest_rules import find_faults
from tests.support.manifests import FOLDER, Document, parse_documents

pytestmark = pytest.mark.integrations

MESSAGES = 20_000
USER, PASSWORD = "grace", "a-long-password-of-these-tests"
PARTS = ("web", "short-worker", "store-worker", "spark-worker", "beat")
WHOLE = """
SELECT count(*), count(DISTINCT msg_id), sum(msg_id)
  FROM (SELECT msg_id FROM message UNION ALL SELECT msg_id FROM archive_message) AS every
"""


@pytest.fixture(scope="module")
def pods(tmp_path_factory) -> Iterator[Pods]:
    """Give the pods of a console with the demo's messages and a user."""
    build_images()
    pods = Pods(tmp_path_factory.mktemp("pods"), port=find_free_port())
    try:
        pods.start_servers()
        pods.play("hubconsole-migrate")
        eventually(lambda: pods.state_of("hubconsole-migrate")["Status"] == "exited", 600)
        for part in ("spark", *PARTS):
            pods.play(f"hubconsole-{part}")
        eventually(lambda: all(answers(pods, part) for part in PARTS), 300, every=2)
        pods.run("hubconsole-web", "hubconsole", "demo", "--messages", str(MESSAGES), as_owner=True)
        make_user = f"env DJANGO_SUPERUSER_PASSWORD={PASSWORD} hubconsole createsuperuser --noinput"
        words = ("--username", USER, "--email", "grace@example.org")
        pods.run("hubconsole-web", *make_user.split(), *words, as_owner=True)
        yield pods
    finally:
        pods.remove()


def answers(pods: Pods, part: str, probe: str = "startupProbe") -> bool:
    return pods.answers_probe(f"hubconsole-{part}", probe)


def log_in(pods: Pods) -> requests.Session:
    """Return the session of a browser after its log-in."""
    browser = requests.Session()
    page = browser.get(f"{pods.address}/login/", timeout=20)
    (token,) = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[:1]
    fields = {"csrfmiddlewaretoken": token, "username": USER, "password": PASSWORD}
    browser.post(f"{pods.address}/login/", fields, headers={"Referer": pods.address}, timeout=20)
    return browser


def build(overlay: str) -> list[Document]:
    if not shutil.which("kubectl"):
        pytest.skip("needs kubectl")
    command = ["kubectl", "kustomize", str(FOLDER / "overlays" / overlay)]
    return parse_documents(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


class TestOverlays:
    @pytest.mark.parametrize("overlay", ["small", "production"])
    def test_keep_to_the_schemas_and_the_rules(self, overlay):
        documents = build(overlay)
        assert len(documents) > 30
        for document in documents:
            kubernetes_validate.validate(document, "1.37", strict=True)
        assert find_faults(documents) == []

    @pytest.mark.parametrize("overlay", ["small", "production"])
    def test_start_executors_with_the_image_of_the_overlay(self, overlay):
        (spark,) = [
            d["spec"]["template"]["spec"]["containers"][0]
            for d in build(overlay)
            if (d["kind"], d["metadata"]["name"]) == ("Deployment", "hubconsole-spark")
        ]
        images = [each["value"] for each in spark["env"] if each["name"] == "EXECUTOR_IMAGE"]
        assert images == [spark["image"]] == ["registry.example.org/hubconsole:1.0.0-spark"]


class TestPods:
    def test_make_the_tables_before_the_others_start(self, pods):
        assert pods.state_of("hubconsole-migrate")["ExitCode"] == 0

    @pytest.mark.parametrize("probe", ["startupProbe", "readinessProbe", "livenessProbe"])
    def test_answer_their_probes(self, pods, probe):
        assert [part for part in PARTS if not answers(pods, part, probe)] == []

    @pytest.mark.parametrize("part", [*PARTS, "spark"])
    def test_cannot_write_to_their_images_and_have_limits(self, pods, part):
        name = f"hubconsole-{part}-{part}"
        facts = json.loads(run_podman("container", "inspect", name))[0]
        assert facts["HostConfig"]["ReadonlyRootfs"]
        assert facts["HostConfig"]["Memory"] > 0
        assert not facts["EffectiveCaps"]

    def test_let_a_user_log_in(self, pods):
        page = log_in(pods).get(f"{pods.address}/messages/", timeout=20, allow_redirects=False)
        assert page.status_code == 200

    def test_run_a_job_to_its_end(self, pods):
        before = pods.query(WHOLE)
        words = ("hubconsole", "archive", "--older-than-months", "1", "--to", "tables", "--reason", "r")
        created = pods.run("hubconsole-web", *words)
        job_id = re.search(r"Job (\d+)", created)[1]
        eventually(lambda: pods.query(f"SELECT state FROM job WHERE job_id = {job_id}") == "done", 300)
        assert pods.query(WHOLE) == before
        assert int(pods.query("SELECT count(*) FROM archive_message")) > 100

    @pytest.mark.parametrize("part", PARTS)
    def test_come_back_after_a_kill(self, pods, part):
        killed = pods.state_of(f"hubconsole-{part}")["Pid"]
        pods.kill(f"hubconsole-{part}")
        eventually(lambda: pods.state_of(f"hubconsole-{part}")["Pid"] not in {0, killed}, 60)
        # The pulse of the process before could answer for a minute.
        pods.run(f"hubconsole-{part}", "rm", "-f", "/tmp/pulse")
        eventually(lambda: answers(pods, part), 600, every=1)
