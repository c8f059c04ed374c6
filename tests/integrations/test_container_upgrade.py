"""The steps of docs/howto/containers.md, "4. Update", from images of an earlier build, while a job runs."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from messages_app.core.embedded_servers import find_free_port
from tests.integrations.compose import Compose
from tests.integrations.container_images import SERVER, SPARK, build_console, build_images, run_podman
from tests.integrations.test_containers import COMMITTED, STATE, WHOLE, answers
from tests.support.eventually import eventually
from tests.support.files import ROOT

pytestmark = pytest.mark.integrations

# A build from before the release; the tag of a release takes its place when there is one.
FORMER = "7a6a7a4a"
FORMER_IMAGES = {"server": "localhost/hubconsole:former-server", "spark": "localhost/hubconsole:former-spark"}
MESSAGES = 300_000


@pytest.fixture(scope="module")
def former(tmp_path_factory) -> Iterator[Compose]:
    """Give a console of the former images with the demo's messages."""
    build_images()
    build_console(FORMER_IMAGES, source=check_out(tmp_path_factory.mktemp("former")))
    compose = Compose(tmp_path_factory.mktemp("upgrade"), port=find_free_port())
    compose.use_images(**FORMER_IMAGES)
    try:
        compose.up()
        eventually(lambda: answers(compose), 300)
        compose.run("web", "demo", "--messages", str(MESSAGES), as_owner=True)
        yield compose
    finally:
        compose.down("--volumes")
        run_podman("rmi", *FORMER_IMAGES.values())


def check_out(folder: Path) -> Path:
    """Write the files of the former commit to a folder."""
    archive = subprocess.run(["git", "archive", FORMER], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "--extract", "--directory", folder], input=archive, check=True)
    return folder


def test_an_update_keeps_all_data_and_continues_the_job(former):
    dump = run_podman("exec", former.container("database"), "pg_dump", "--username", "postgres", "hubconsole")
    assert "CREATE TABLE public.message " in dump
    before = former.query(WHOLE)
    words = ("archive", "--older-than-months", "1", "--to", "parquet", "--reason", "r")
    job_id = re.search(r"Job (\d+)", former.run("web", *words))[1]
    eventually(lambda: former.query(COMMITTED.format(job_id)) != "0", 300)
    archived = int(former.query("SELECT count(*) FROM cold_message"))
    assert former.query(STATE.format(job_id)) == "running"

    former.down()
    former.use_images(server=SERVER, spark=SPARK)
    former.up()

    eventually(lambda: answers(former), 300)
    eventually(lambda: former.query(STATE.format(job_id)) == "done", 600)
    assert former.query(WHOLE) == before
    assert int(former.query("SELECT count(*) FROM cold_message")) > 2 * archived
