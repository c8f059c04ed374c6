"""PgBouncer between the console and PostgreSQL: a real one in each of its modes."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from hubconsole import pooler
from hubconsole.devserver import programs
from messages_app.core.embedded_servers import find_free_port
from messages_app.jobs.connections import own_dsn
from tests.hubconsole.console import REPOSITORY
from tests.support.databases import schema
from tests.support.hubs import hub_database
from tests.support.parameters import quick_first
from tests.support.pgbouncer import pgbouncer

IGNORING = {"ignore_startup_parameters": "options,extra_float_digits"}
SECRET = "a-key-of-tests-with-more-than-fifty-characters-in-it-and-then-some"
DROPS = "drops the settings of the console's sessions"
REFUSES = "refuses the settings of the console's sessions"
MIXES = "gives each transaction another session"
LINE = (
    f"DATABASE_URL leads through a connection pooler, such as PgBouncer, that {DROPS}."
    " Set DATABASE_URL to PostgreSQL itself.\n"
)


@pytest.fixture(autouse=True)
def _hub(django_db_setup, django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock(), hub_database("CleverBus 2.0"):
        yield


def _connect_sending(address: str) -> Callable[[], psycopg.Connection]:
    """Connect as the console does, with settings in the startup parameter `options`."""
    return lambda: psycopg.connect(
        address, autocommit=True, prepare_threshold=None, options="-c jit=off -c search_path=public"
    )


def _connect_setting(address: str) -> Callable[[], psycopg.Connection]:
    """Connect as through a pooler that repeats the settings in each session."""

    def connect() -> psycopg.Connection:
        session = psycopg.connect(address, autocommit=True, prepare_threshold=None)
        session.execute("SET jit = off")
        session.execute("SET search_path = public")
        return session

    return connect


@contextmanager
def _load(address: str, *, clients: int) -> Iterator[None]:
    """Let some clients run one short transaction after the other."""
    ended = threading.Event()

    def work() -> None:
        with psycopg.connect(address, autocommit=True, prepare_threshold=None) as session:
            while not ended.is_set():
                session.execute("SELECT pg_sleep(0.001)")

    threads = [threading.Thread(target=work) for _ in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


class TestWhyUnusable:
    @pytest.mark.parametrize("mode", ["transaction", "statement", "session"])
    def test_names_a_pooler_that_drops_the_settings(self, mode: str):
        with pgbouncer(mode, **IGNORING) as address:
            assert pooler.why_unusable(_connect_sending(address)) == DROPS

    def test_names_a_pooler_that_keeps_only_the_search_path(self):
        def connect() -> psycopg.Connection:
            return psycopg.connect(own_dsn(), autocommit=True, options="-c search_path=public")

        assert pooler.why_unusable(connect) == DROPS

    def test_names_a_pooler_that_refuses_the_settings(self):
        with pgbouncer("transaction") as address:
            assert pooler.why_unusable(_connect_sending(address)) == REFUSES

    @pytest.mark.parametrize("settings", [{}, {"server_round_robin": 1}, {"default_pool_size": 2}])
    @pytest.mark.parametrize("clients", [0, 6])
    def test_names_a_pooler_that_mixes_sessions(self, settings: dict, clients: int):
        with pgbouncer("transaction", **settings) as address, _load(address, clients=clients):
            told = {pooler.why_unusable(_connect_setting(address)) for _ in range(20)}
        # With other clients, a session that was not set yet may answer the first question.
        assert told <= {MIXES, DROPS}
        assert MIXES in told

    @pytest.mark.parametrize("clients", [0, 6])
    def test_accepts_a_pooler_that_keeps_sessions_and_settings(self, clients: int):
        with pgbouncer("session") as address, _load(address, clients=clients):
            assert {pooler.why_unusable(_connect_setting(address)) for _ in range(20)} == {None}

    @pytest.mark.parametrize("clients", [0, 12])
    def test_accepts_postgresql_itself(self, clients: int):
        address = own_dsn()
        with _load(address, clients=clients):
            assert {pooler.why_unusable(_connect_sending(address)) for _ in range(20)} == {None}

    def test_lets_a_server_that_does_not_answer_say_so(self):
        with pytest.raises(psycopg.OperationalError, match="refused"):
            pooler.why_unusable(_connect_sending("postgresql://nobody@127.0.0.1:1/none"))


class TestServices:
    """Services that are started one by one, without `up`."""

    @pytest.mark.parametrize("name", quick_first(["short-worker", "web", "beat"]))
    def test_end_with_one_line(self, tmp_path: Path, name: str):
        services = [
            programs.web_program(bind="127.0.0.1", port=find_free_port()),
            *programs.worker_programs(),
        ]
        service = next(each for each in services if each.name == name)
        with pgbouncer("transaction", **IGNORING) as address:
            environment = dict(service.environment) | {
                "DATABASE_URL": address,
                "DJANGO_SECRET_KEY": SECRET,
                "HUBCONSOLE_HOME": str(tmp_path),
            }
            ended = subprocess.run(
                service.command,
                cwd=REPOSITORY,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
        assert ended.returncode == 1
        assert f"hubconsole: {LINE}" in ended.stderr
        assert "Traceback" not in ended.stderr


class TestCommands:
    """All of them refuse in one line, and create nothing."""

    def _run(self, home: Path, address: str, *words: str) -> tuple[int, str, str]:
        environment = {"DATABASE_URL": address, "DJANGO_SECRET_KEY": SECRET, "HUB_RULES": ""}
        environment["HUBCONSOLE_HOME"] = str(home)
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
        quick_first(
            [
                pytest.param(("attach", "public"), "CommandError: Nothing was created: "),
                pytest.param(("rebuild_counts",), "hubconsole: "),
                pytest.param(("up", "--no-demo", "--port", str(find_free_port())), "hubconsole: "),
                pytest.param(("attach", "public", "--dry-run"), "CommandError: Nothing was created: "),
                pytest.param(("attach", "--suspend"), "CommandError: Nothing was created: "),
                pytest.param(("detach", "--yes"), "CommandError: Nothing was changed: "),
                pytest.param(("migrate",), "CommandError: "),
                pytest.param(("doctor",), "hubconsole: "),
                pytest.param(("archive",), "hubconsole: "),
                pytest.param(("createsuperuser",), "hubconsole: "),
            ],
            quick=1,
        ),
    )
    def test_refuse_a_pooler_that_drops_the_settings(
        self, tmp_path: Path, words: tuple[str, ...], beginning: str
    ):
        before = schema()
        with pgbouncer("transaction", **IGNORING) as address:
            code, out, err = self._run(tmp_path, address, *words)
        assert (code, err) == (1, f"{beginning}{LINE}")
        assert "Traceback" not in out
        assert schema() == before

    def test_refuse_a_pooler_that_refuses_the_settings(self, tmp_path: Path):
        with pgbouncer("transaction") as address:
            assert self._run(tmp_path, address, "migrate") == (
                1,
                "",
                f"CommandError: {LINE.replace(DROPS, REFUSES)}",
            )
