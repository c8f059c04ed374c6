"""The client as its wheel has it, importable as `hubconsole_client` in the tests of this folder."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.locks import ROOT


@pytest.fixture(scope="session")
def description(tmp_path_factory) -> Path:
    """Give the description of the API, in JSON."""
    from drf_spectacular.generators import SchemaGenerator

    path = tmp_path_factory.mktemp("description") / "openapi.json"
    path.write_text(json.dumps(SchemaGenerator().get_schema(request=None, public=True), default=str))
    return path


@pytest.fixture(scope="session")
def wheel(description, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    environment = os.environ | {"OPENAPI": str(description)}
    subprocess.run(
        command, cwd=ROOT / "client", env=environment, check=True, capture_output=True, timeout=120
    )
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory) -> Path:
    """Give the folder that has the package."""
    folder = tmp_path_factory.mktemp("installed")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


@pytest.fixture(scope="session", autouse=True)
def _importable(installed) -> Iterator[None]:
    sys.path.insert(0, str(installed))
    yield
    sys.path.remove(str(installed))


@pytest.fixture
def token(db) -> str:
    """Give a token of an operator."""
    from tests.support.api_client import caller

    return caller("operator").token


@pytest.fixture
def hub(live_server, token):
    """Give a client of the operator, for a console that runs."""
    from hubconsole_client import Client

    with Client(live_server.url, token, patience=10) as client:
        yield client
