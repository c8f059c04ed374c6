"""The wheel and the images have the same bytes whenever and wherever they are built from the same commit."""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integrations.container_images import (
    SERVER,
    SPARK,
    build_console,
    build_images,
    build_wheel,
    run_podman,
)
from tests.support.files import ROOT

pytestmark = pytest.mark.integrations

AGAIN = {"server": "localhost/hubconsole:server-again", "spark": "localhost/hubconsole:spark-again"}
LONG_AGO = 1_000_000_000


@pytest.fixture
def copied(tmp_path) -> Path:
    """Give another checkout, whose files have other times and modes."""
    folder = tmp_path / "elsewhere" / "checkout"
    subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    for name in ("templates", "static", "docs", "deploy"):
        shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True)
        for path in (folder / name).rglob("*"):
            path.chmod(path.stat().st_mode & 0o700)
            os.utime(path, (LONG_AGO, LONG_AGO))
    return folder


@pytest.fixture
def built_again() -> Iterator[None]:
    build_images()
    build_console(AGAIN, source=ROOT, options=["--no-cache"])
    yield
    run_podman("rmi", *AGAIN.values())


def layers_of(image: str) -> list[str]:
    """Return the digests of the files of an image."""
    return json.loads(run_podman("image", "inspect", image))[0]["RootFS"]["Layers"]


def test_the_wheel_is_the_same_from_another_checkout(copied, tmp_path, monkeypatch):
    first = build_wheel(ROOT, tmp_path / "first")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    second = build_wheel(copied, tmp_path / "second")
    digests = [hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in (first, second)]
    assert digests[0] == digests[1]


def test_the_images_are_the_same_without_a_cache(built_again):
    for image, again in ((SERVER, AGAIN["server"]), (SPARK, AGAIN["spark"])):
        assert layers_of(image) == layers_of(again)
