"""`rebuild_counts` right after `up` was started, whose Spark server needs a minute."""

import io
import re
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from hubconsole.devserver import preflight
from messages_app.management.commands import rebuild_counts
from messages_app.management.steps import Steps
from tests.support.eventually import eventually
from tests.support.factories import make_message

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


def test_waits_for_spark_while_up_is_starting_it(home, monkeypatch):
    monkeypatch.setattr(rebuild_counts, "Steps", partial(Steps, seconds=0.1))
    said = io.StringIO()
    with ThreadPoolExecutor(1) as pool:
        with preflight.only_one(home):
            running: Future = pool.submit(rebuild, said)
            eventually(lambda: "Waiting for `up` to start Spark: 0 s so far.\n" in said.getvalue())
            assert not running.done()
        refused = running.exception(timeout=60)
    assert isinstance(refused, CommandError)
    assert str(refused).startswith("Nothing was counted: the Spark Connect server does not answer.")


def test_is_refused_immediately_if_nothing_starts_spark(home):
    said = io.StringIO()
    with pytest.raises(CommandError, match="Nothing was counted"):
        rebuild(said)
    assert said.getvalue() == ""


def test_says_what_it_does_while_it_counts(spark_remote, monkeypatch):
    monkeypatch.setattr(rebuild_counts, "Steps", partial(Steps, seconds=0.02))
    make_message(state="FAILED")
    said, told = io.StringIO(), io.StringIO()

    def shows_parts() -> bool:
        """Count again: with one row, Spark may be ready before it reports parts."""
        call_command("rebuild_counts", stdout=told, stderr=said)
        return bool(re.search(r"Counting messages: \d+ s so far, \d+ of \d+ parts\.\n", said.getvalue()))

    eventually(shows_parts)

    assert set(told.getvalue().splitlines()) == {"Recounted: 1 rows."}
    assert "Opening a session of Spark: 0 s so far.\n" in said.getvalue()
