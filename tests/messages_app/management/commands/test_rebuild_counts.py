"""`rebuild_counts` right after `up` was started, whose Spark server needs a minute."""

import io
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from hubconsole import preflight
from tests.support.eventually import eventually

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def home(settings, tmp_path) -> Path:
    """Give a home without a Spark server."""
    settings.HUBCONSOLE_HOME = tmp_path
    settings.SPARK_REMOTE = ""
    return tmp_path


def rebuild(said: io.StringIO) -> None:
    try:
        call_command("rebuild_counts", stdout=said, stderr=said)
    finally:
        connection.close()


def test_waits_for_spark_while_up_is_starting_it(home):
    said = io.StringIO()
    with ThreadPoolExecutor(1) as pool:
        with preflight.only_one(home):
            running: Future = pool.submit(rebuild, said)
            eventually(lambda: said.getvalue() == "Waiting for Spark to start.\n")
            assert not running.done()
        refused = running.exception(timeout=60)
    assert isinstance(refused, CommandError)
    assert str(refused).startswith("Nothing was counted: the Spark Connect server does not answer.")


def test_is_refused_at_once_if_nothing_starts_spark(home):
    said = io.StringIO()
    with pytest.raises(CommandError, match="Nothing was counted"):
        rebuild(said)
    assert said.getvalue() == ""
