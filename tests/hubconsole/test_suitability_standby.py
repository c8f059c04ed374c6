"""A hot standby as the server of the console, and a role whose transactions only read."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from hubconsole.suitability import refusal_of_database
from tests.faults.replicas import Replicas
from tests.hubconsole.console import REPOSITORY
from tests.support.eventually import eventually
from tests.support.hubs import LAYOUTS
from tests.support.servers import Servers

SECRET = "a-key-of-tests-with-more-than-fifty-characters-in-it-and-then-some"
_HAS_REPLAYED = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
LINE = (
    "the server of DATABASE_URL is a standby, on which nothing can be written. Set DATABASE_URL to the"
    " primary, or to all servers (docs/howto/database_failover.md).\n"
)


@pytest.fixture(scope="module")
def replicas(servers: Servers) -> Iterator[Replicas]:
    replicas = Replicas(servers.home)
    yield replicas
    replicas.stop()


def _run(home: Path, address: str, *words: str) -> tuple[int, str, str]:
    environment = {"DATABASE_URL": address, "DJANGO_SECRET_KEY": SECRET, "HUBCONSOLE_HOME": str(home)}
    ended = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=REPOSITORY,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize(
    ("words", "beginning"),
    [
        (("migrate",), "CommandError: T"),
        (("attach", "public"), "CommandError: Nothing was created: t"),
        pytest.param(("up", "--no-demo", "--port", "8999"), "hubconsole: T", marks=pytest.mark.slow),
        pytest.param(("attach", "--suspend"), "CommandError: Nothing was created: t", marks=pytest.mark.slow),
        pytest.param(("detach", "--yes"), "CommandError: Nothing was changed: t", marks=pytest.mark.slow),
        pytest.param(("doctor",), "hubconsole: T", marks=pytest.mark.slow),
        pytest.param(("rebuild_counts",), "hubconsole: T", marks=pytest.mark.slow),
    ],
)
def test_every_command_refuses_a_standby_in_one_line(
    replicas: Replicas, tmp_path: Path, words: tuple[str, ...], beginning: str
):
    assert _run(tmp_path, replicas.address_of_replica, *words) == (1, "", f"{beginning}{LINE[1:]}")
    assert not (tmp_path / "valkey").exists()


def test_a_dry_run_of_attach_reads_a_standby_and_says_that_nothing_else_works_there(
    replicas: Replicas, tmp_path: Path
):
    # The address names the standby first.
    with psycopg.connect(replicas.address, target_session_attrs="read-write", autocommit=True) as primary:
        primary.execute(LAYOUTS["OpenHub 2.3"].script())
        try:
            (written_to,) = primary.execute("SELECT pg_current_wal_lsn()::text").fetchone()
            with psycopg.connect(replicas.address_of_replica, autocommit=True) as standby:
                eventually(lambda: standby.execute(_HAS_REPLAYED, [written_to]).fetchone() == (True,))
            words = ("attach", "openhub", "--dry-run", "--time-zone", "Europe/Prague", "--json")
            code, report, error = _run(tmp_path, replicas.address_of_replica, *words)
            assert (code, error) == (0, "")
            assert json.loads(report)["schema"] == "openhub"
            assert f"{LINE[:-1]}" in json.loads(report)["warnings"]
            words = ("attach", "openhub", "--time-zone", "Europe/Prague")
            refused = f"CommandError: Nothing was created: {LINE}"
            assert _run(tmp_path, replicas.address_of_replica, *words) == (1, "", refused)
            assert primary.execute("SELECT to_regnamespace('hubconsole')").fetchone() == (None,)
        finally:
            primary.execute("DROP SCHEMA openhub CASCADE")


@pytest.mark.slow
def test_both_servers_in_the_address_work(replicas: Replicas, tmp_path: Path):
    """The address names the standby first."""
    assert _run(tmp_path, replicas.address, "migrate", "--check")[0] == 1  # no migration is applied yet
    code, _, error = _run(tmp_path, replicas.address, "migrate", "messages_app", "zero", "--verbosity", "0")
    assert (code, error) == (0, "")


@pytest.mark.django_db
def test_transactions_that_only_read_are_refused():
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL transaction_read_only = on")
    assert refusal_of_database() == (
        "Transactions only read, because of default_transaction_read_only."
        " Reset it for the role and the database of DATABASE_URL."
    )
