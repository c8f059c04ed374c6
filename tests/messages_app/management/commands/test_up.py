import contextlib
import os
import signal
import socket
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import psutil
import psycopg
import pytest
from django.core.management.base import CommandError
from pyspark.sql import SparkSession

from messages_app.core.embedded_servers import database_url, is_listening, last_endpoint, spark_url
from messages_app.management.commands.up import Command
from tests.hubconsole.console import Console, ways
from tests.hubconsole.open_files import open_to_others
from tests.hubconsole.strangers import answer_to_stranger, listening
from tests.support.eventually import eventually
from tests.support.servers import Servers

# A small demo, whose hub has much to do.
DEMO = ("--messages", "100", "--demo-rate", "5")


@pytest.fixture
def console(servers: Servers) -> Iterator[Console]:
    console = Console(servers.home)
    yield console
    console.remove()


@pytest.fixture(scope="module")
def running(servers: Servers) -> Iterator[Console]:
    """One console, with everything in it, for the tests that leave it running."""
    console = Console(servers.home)
    # Spark's warm-up after the start has tests of its own (jobs/engine/test_warm_up.py).
    console.start(*DEMO, HUBCONSOLE_SPARK_WARM_UP="off")
    yield console
    console.remove()


@pytest.fixture(params=ways())
def console_of(request: pytest.FixtureRequest, servers: Servers) -> Iterator[Console]:
    console = Console(servers.home, user=request.param)
    yield console
    console.remove()


class TestUp:
    def test_serves_everything(self, running: Console):
        self._serves_everything(running)

    def test_prints_a_password_that_only_its_owner_can_read(self, running: Console):
        password = (running.home / "admin_password").read_text().strip()
        assert f"user admin  password {password}" in running.told()
        secret = ["admin_password", "secret_key", "postgres/endpoint.json", "valkey/endpoint.json"]
        assert {(running.home / name).stat().st_mode & 0o077 for name in secret} == {0}

    @pytest.mark.slow
    def test_answers_no_stranger_at_the_ports_of_its_children(self, running: Console):
        # A port that is missing below is a new one: make sure that it asks for a secret, then add it.
        eventually(lambda: is_listening(last_endpoint(running.home, "spark").port), 600)
        session = SparkSession.builder.remote(spark_url(running.home)).create()
        session.range(1).mapInArrow(lambda batches: batches, "id long").collect()  # starts Python's daemon
        ports = listening(running.home)
        found = {(name, answer_to_stranger(running.home, port, name)) for port, name in ports.items()}
        session.stop()

        # Some listen several times: Java for its driver and its blocks, Python's daemon for each environment.
        assert found == {
            ("gunicorn", "401"),
            ("java", "UNAUTHENTICATED"),
            ("java", "refused"),
            ("postgres", "password authentication failed"),
            ("python", "err"),
            ("valkey-server", "-NOAUTH"),
        }

    def test_writes_nothing_that_other_users_can_read(self, running: Console):
        # Root's PostgreSQL runs as another user, who passes through these two.
        passable = {".": "0o711", "postgres": "0o711"} if os.geteuid() == 0 else {}
        assert open_to_others(running.home) == passable

    @pytest.mark.slow
    def test_lets_a_second_terminal_find_the_database(self, running: Console):
        assert running.run("migrate", "--check").returncode == 0

    @pytest.mark.slow
    def test_reports_the_request_times_of_all_its_web_processes(self, running: Console):
        token = running.run("create_token", "admin").stdout.strip()
        before = self._asked_for_health(running, token)
        for _ in range(12):
            running.page()
        # Whichever process answers.
        assert {self._asked_for_health(running, token) - before for _ in range(6)} == {12}

    @pytest.mark.slow
    def test_is_asked_for_if_nothing_runs(self, console: Console):
        refused = console.run("migrate", "--check")

        assert refused.returncode == 1
        assert refused.stderr == "hubconsole: PostgreSQL is not running: start it with `make up`\n"

    @pytest.mark.slow
    def test_refuses_a_second_one_in_the_same_home(self, running: Console):
        refused = running.run("up", "--port", "1")

        assert refused.returncode == 1
        assert refused.stderr == (
            f"hubconsole: `up` is already running in {running.home} (process {running.up.pid}).\n"
        )
        assert running.page() in {200, 503}

    def test_answers_requests_that_reach_no_view(self, running: Console):
        head = b" HTTP/1.1\r\nHost: localhost\r\n"
        for raw in (
            b"GET /health/" + head + b"X: y\r\n" * 10_000 + b"\r\n",
            b"GET /health/" + head + b"X: " + b"y" * 65_536 + b"\r\n\r\n",
            b"GET /" + b"a" * 20_000 + head + b"\r\n",
        ):
            assert self._status(running, raw) in {b"400", b"414", b"431"}
        half = b"POST /login/" + head + b"Content-Length: 100\r\n\r\nusername=ada"
        assert self._status(running, half) in {b"400", b"403"}
        assert running.page() in {200, 503}

    @pytest.mark.parametrize(("headers", "statuses"), [(100, {b"200", b"503"}), (101, {b"431"})])
    def test_accepts_headers_up_to_the_limit(self, running: Console, headers, statuses):
        others = b"".join(b"X-%d: y\r\n" % number for number in range(headers - 1))
        raw = b"GET /health/ HTTP/1.1\r\nHost: localhost\r\n" + others + b"\r\n"
        assert self._status(running, raw) in statuses

    def test_starts_again_what_was_killed(self, running: Console):
        web, postgres = running.pid("web"), running.pid("postgres")

        os.kill(web, signal.SIGKILL)
        os.kill(postgres, signal.SIGKILL)

        eventually(lambda: "web ended" in running.told() and "postgres ended" in running.told())
        eventually(lambda: self._is_served(running), 60)
        assert running.pid("web") != web
        assert running.pid("postgres") != postgres

    def test_has_a_database_that_waits_for_the_disk_at_each_commit(self, running: Console):
        with psycopg.connect(database_url(running.home)) as connection:
            for setting in ("fsync", "full_page_writes", "synchronous_commit"):
                assert connection.execute(f"SHOW {setting}").fetchone() == ("on",)

    @pytest.mark.slow
    def test_refuses_a_busy_port_and_starts_nothing(self, console: Console):
        with socket.create_server(("127.0.0.1", console.port)):
            refused = console.run("up", "--port", str(console.port))

        assert refused.returncode == 1
        assert refused.stderr.startswith(f"hubconsole: Port {console.port} of 127.0.0.1 cannot be used")
        assert refused.stderr.count("\n") == 1
        assert not (console.home / "postgres").exists()

    @pytest.mark.slow  # devserver/test_preflight.py asks the same without starting everything
    def test_refuses_a_database_of_a_newer_version(self, console: Console):
        console.start("--no-demo")
        with psycopg.connect(database_url(console.home)) as connection:
            connection.execute(
                "INSERT INTO django_migrations (app, name, applied)"
                " VALUES ('messages_app', '9999_later_contract', now())"
            )
        console.stop()

        refused = console.run("up", "--port", str(console.port))

        assert refused.returncode == 1
        assert refused.stderr == (
            "hubconsole: The database belongs to a newer version of Hub Console "
            "(it has messages_app.9999_later_contract). Install that version.\n"
        )
        assert console.running() == []

    @pytest.mark.slow
    def test_refuses_bad_arguments(self, console: Console):
        assert console.run("up", "--port", "0").returncode == 2

    @pytest.mark.parametrize(
        "arguments", [("--port", "65536"), ("--messages", "-1"), ("--demo-rate", "-1"), ("x",)]
    )
    def test_has_a_parser_that_refuses_bad_arguments(self, arguments: tuple[str, ...]):
        parser = Command().create_parser("manage.py", "up")
        assert parser.parse_args(["--port", "80"]).port == 80
        with pytest.raises(CommandError, match="argument"):
            parser.parse_args(arguments)

    @pytest.mark.slow
    def test_refuses_a_home_that_is_a_file(self, console: Console):
        home = console.home / "told"
        home.write_text("")

        refused = console.run("up", HUBCONSOLE_HOME=str(home), DJANGO_SECRET_KEY="long" * 20)

        assert refused.returncode == 1
        assert refused.stderr == f"hubconsole: HUBCONSOLE_HOME {home} cannot be used: File exists.\n"

    @pytest.mark.slow
    def test_recovers_after_kill_9_with_its_data_and_ctrl_c_ends_everything(self, running: Console):
        """This test comes last, because it starts the console without the demo and so without a hub."""
        with psycopg.connect(database_url(running.home)) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        eventually(lambda: (running.home / "run" / "beat.json").exists())
        before = [running.pid(name) for name in ("postgres", "valkey", "web", "short-worker", "spark")]
        running.stop(signal.SIGKILL)

        running.start("--no-demo")

        assert not any(_is_alive(pid) for pid in before)
        assert "that an earlier start had left running" in running.told()
        with psycopg.connect(database_url(running.home)) as connection:
            assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)
        assert running.page() in {200, 503}
        eventually(lambda: (running.home / "run" / "beat.json").exists())
        assert {path.stem for path in (running.home / "run").glob("demo*.json")} == set()
        self._ctrl_c_ends_everything(running)

    @pytest.mark.slow  # also as another user; the tests above ask the same
    def test_serves_everything_at_its_first_start(self, console_of: Console):
        console_of.start(*DEMO)
        self._serves_everything(console_of)
        self._ctrl_c_ends_everything(console_of)

    def _serves_everything(self, console: Console) -> None:
        assert console.page() in {200, 503}
        eventually(lambda: console.told().count("Hub Console is at") == 2, 600)
        assert console.page() == 200
        assert "ended (status" not in console.told()
        spark = SparkSession.builder.remote(spark_url(console.home)).create()
        assert spark.range(7).count() == 7
        spark.stop()
        assert "100 messages" in console.told()
        eventually(lambda: self._received(console) > 3)
        eventually(lambda: self._pulled(console) > 0)

    def _ctrl_c_ends_everything(self, console: Console) -> None:
        assert console.stop(signal.SIGINT) == 0, console.told()
        assert console.running() == []
        assert "Traceback" not in console.told()

    def _status(self, console: Console, raw: bytes) -> bytes:
        """Send bytes, and no more after them; return the status of the answer."""
        with socket.create_connection(("127.0.0.1", console.port), timeout=30) as peer:
            with contextlib.suppress(OSError):  # it may hang up in the middle
                peer.sendall(raw)
                peer.shutdown(socket.SHUT_WR)
            return peer.recv(4096).split(b" ")[1]

    def _asked_for_health(self, console: Console, token: str) -> int:
        """Return the number of requests for /health/, from /metrics."""
        asked = urllib.request.Request(
            f"http://127.0.0.1:{console.port}/metrics", headers={"Authorization": f"Token {token}"}
        )
        with urllib.request.urlopen(asked, timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        counts = [line for line in lines if "_seconds_count{" in line and 'view="health"' in line]
        return sum(int(float(line.rpartition(" ")[2])) for line in counts)

    def _received(self, console: Console) -> int:
        """Return how many messages the demo's hub has brought to their end."""
        with psycopg.connect(database_url(console.home)) as connection:
            found = connection.execute(
                "SELECT count(*) FROM message WHERE object_id LIKE '_L%' AND state = 'OK'"
            )
            return found.fetchone()[0]

    def _pulled(self, console: Console) -> int:
        """Return how many CP messages the demo's services have dispatched since it was loaded."""
        with psycopg.connect(database_url(console.home)) as connection:
            found = connection.execute(
                "SELECT count(*) FROM cp_dispatch"
                " WHERE created > (SELECT first_poll FROM cp_service WHERE service = 'index:8045')"
            )
            return found.fetchone()[0]

    def _is_served(self, console: Console) -> bool:
        try:
            return console.page() in {200, 503} and bool(
                psycopg.connect(database_url(console.home)).execute("SELECT 1").fetchone()
            )
        except (OSError, psycopg.OperationalError):
            return False


class TestDemoHub:
    """`up --demo-hub`: a hub in its own process with its own tables, and the console attached to it."""

    UNSET = {"HUB_RULES": ""}

    @pytest.mark.slow
    def test_is_attached_keeps_its_hub_and_refuses_the_other(self, console: Console):
        console.start(*DEMO, "--demo-hub", "openhub", HUBCONSOLE_HUB_NAME="Test", **self.UNSET)
        eventually(lambda: self._received(console) > 3, 120)
        assert b"<title>Log in \xc2\xb7 Test \xc2\xb7 Hub Console</title>" in self._log_in_page(console)
        assert console.run("attach", "openhub", "--dry-run", **self.UNSET).returncode == 0
        assert console.stop() == 0

        refused = console.run("up", "--port", str(console.port), "--demo-hub", "cleverbus", **self.UNSET)
        assert (refused.returncode, refused.stderr) == (
            1,
            "hubconsole: --demo-hub cleverbus needs a database of its own, but the console is attached to"
            " OpenHub 2.x in the schema openhub: set HUBCONSOLE_HOME to a new folder.\n",
        )

        before = datetime.now(UTC).replace(tzinfo=None)
        console.start("--demo-rate", "5", **self.UNSET)
        eventually(lambda: self._received(console, since=before) > 3, 60)
        assert "Traceback" not in console.told()
        assert console.stop() == 0
        assert console.running() == []

    def _received(self, console: Console, *, since: datetime = datetime.min) -> int:  # noqa: DTZ901
        """Return how many messages the hub has processed since this time, as its own table shows them."""
        try:
            with psycopg.connect(database_url(console.home)) as connection:
                found = connection.execute(
                    "SELECT count(*) FROM openhub.message"
                    " WHERE object_id LIKE '_L%%' AND state = 'OK' AND receive_timestamp > %s",
                    [since],
                )
                return found.fetchone()[0]
        except psycopg.OperationalError:
            return 0

    def _log_in_page(self, console: Console) -> bytes:
        with urllib.request.urlopen(f"http://127.0.0.1:{console.port}/login/", timeout=10) as page:
            return page.read()


class TestUpInAClosedDirectory:
    """Under root, PostgreSQL's own user cannot enter such a home."""

    @pytest.mark.slow
    def test_serves_and_keeps_its_data(self, servers: Servers, tmp_path: Path):
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o700)
        console = Console(closed)
        try:
            for _ in range(2):
                console.start("--no-demo")
                assert console.page() in {200, 503}
                assert console.stop() == 0
            assert console.running() == []
        finally:
            console.remove()


def _is_alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
