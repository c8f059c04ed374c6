import os
import subprocess
import sys
from pathlib import Path

import pytest

from hubconsole.preload import VARIABLE, share_times
from messages_app.message_store.models import SourceDefinition
from tests.support.parameters import quick_first
from tests.support.workers import database_of_tests

# The start of a web process, and whether it can match patterns after it.
_LOADED = """
import sys
import django
django.setup()
from hubconsole.preload import warm_up
from messages_app.message_store.services import schemas
warm_up()
if schemas.load_module.cache_info().currsize:
    schemas.load_module(schemas.ENGINE).join()
print("pyarrow.compute" in sys.modules)
"""


@pytest.fixture(autouse=True)
def unnamed(monkeypatch) -> None:
    """Name no folder, and forget the one that is named in a test."""
    monkeypatch.setenv(VARIABLE, "")


@pytest.mark.django_db(transaction=True)
class TestWarmUp:
    """In a process of its own, as a web server does."""

    def loads_engine(self, **environment: str) -> bool:
        environment = os.environ | database_of_tests() | environment
        command = [sys.executable, "-c", _LOADED]
        found = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        return found.stdout.split() == ["True"]

    @pytest.mark.parametrize(
        ("schema", "is_loaded"),
        quick_first(
            [
                pytest.param({"patternProperties": {"^x": {}}}, True),
                pytest.param({"properties": {"a": {"type": "string"}}}, False),
                pytest.param({"properties": {"a": {"type": "string", "pattern": "^x"}}}, True),
            ],
            quick=2,
        ),
    )
    def test_loads_what_matches_patterns_only_if_a_definition_has_one(self, schema, is_loaded):
        SourceDefinition.objects.create(system="CRM", entity="order", json_schema=schema)
        assert self.loads_engine() is is_loaded

    def test_does_not_need_the_database(self):
        assert not self.loads_engine(DATABASE_URL="postgresql://x@127.0.0.1:1/x")


class TestShareTimes:
    def test_makes_one_folder_for_each_server_and_removes_those_of_servers_that_no_longer_exist(
        self, tmp_path: Path
    ):
        servers = tmp_path / "request_times"
        own, gone = servers / str(os.getppid()), servers / "4194305"  # beyond the largest process id
        for folder in (own, gone):
            folder.mkdir(parents=True)
            (folder / "histogram_1.db").touch()
        share_times(tmp_path)
        assert os.environ[VARIABLE] == str(own)
        assert (own / "histogram_1.db").exists()
        assert not gone.exists()

    def test_lets_each_process_report_for_itself_if_no_folder_can_be_made(self, tmp_path: Path):
        (tmp_path / "request_times").touch()
        share_times(tmp_path)
        assert os.environ[VARIABLE] == ""

    def test_uses_a_folder_that_is_named(self, tmp_path: Path, monkeypatch):
        monkeypatch.setenv(VARIABLE, "/named")
        share_times(tmp_path)
        assert os.environ[VARIABLE] == "/named"
        assert not list(tmp_path.iterdir())
