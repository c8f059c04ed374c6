"""The wheel has the same bytes whenever and wherever it is built from the same commit."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.integrations.container_images import build_wheel
from tests.support.files import ROOT

pytestmark = pytest.mark.integrations

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


def test_the_wheel_is_the_same_from_another_checkout(copied, tmp_path, monkeypatch):
    first = build_wheel(ROOT, tmp_path / "first")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    second = build_wheel(copied, tmp_path / "second")
    digests = [hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in (first, second)]
    assert digests[0] == digests[1]
