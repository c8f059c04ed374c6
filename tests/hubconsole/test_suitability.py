"""A database of a hub or on an old server is refused in one line, before anything is written."""

from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command, get_commands
from django.db import connection
from django.test.utils import CaptureQueriesContext

from hubconsole import suitability
from hubconsole.checks import Unhealthy
from hubconsole.checks.database import check_server
from hubconsole.devserver import preflight
from hubconsole.suitability import refusal_of_command, refusal_of_database
from messages_app.core.embedded_servers import CannotStart, database_url
from tests.hubconsole.console import Console
from tests.support.databases import rows, schema
from tests.support.hubs import hub_database
from tests.support.parameters import quick_first
from tests.support.servers import Servers

DO = "Run `python manage.py attach public --dry-run`, or set DATABASE_URL to a separate database."
CLEVERBUS_1 = (
    "The database hub contains the tables of a hub, CleverBus 0.4-1.x or OpenHub 1.0, in the schema public."
)
CLEVERBUS_2 = "The database hub contains the tables of a hub, CleverBus 2.x, in the schema public."
OPENHUB_2 = "The database hub contains the tables of a hub, OpenHub 2.x, in the schema openhub."
LINES = {
    "CleverBus 1.1": f"{CLEVERBUS_1} {DO}",
    "CleverBus 2.0 with archive 0.6": f"{CLEVERBUS_2} {DO}",
    "OpenHub 2.3": f"{OPENHUB_2} {DO.replace('public', 'openhub')}",
}
LINE = f"{CLEVERBUS_2} {DO}"
SECRET = "a-key-of-tests-with-more-than-fifty-characters-in-it-and-then-some"
OURS = sorted(name for name, app in get_commands().items() if app == "messages_app")


@pytest.fixture(scope="class", params=quick_first(sorted(LINES, reverse=True)))
def line(request: pytest.FixtureRequest, django_db_setup, django_db_blocker) -> Iterator[str]:
    """Let Django use the database of a hub, and give the line that refuses it."""
    with django_db_blocker.unblock(), hub_database(request.param):
        before = schema(), rows()
        yield LINES[request.param]
        assert (schema(), rows()) == before


@pytest.fixture(scope="class")
def cleverbus(django_db_setup, django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock(), hub_database("CleverBus 2.0"):
        before = schema(), rows()
        yield
        assert (schema(), rows()) == before


@pytest.fixture
def console(servers: Servers) -> Iterator[Console]:
    console = Console(servers.home)
    yield console
    console.remove()


def run(console: Console, servers: Servers, *words: str) -> tuple[int, str, str]:
    """Run a command of manage.py on the database of the hub."""
    url = database_url(servers.home, "hub")
    ended = console.run(*words, DATABASE_URL=url, DJANGO_SECRET_KEY=SECRET)
    return ended.returncode, ended.stdout, ended.stderr


class TestOfAHub:
    def test_up_refuses_before_it_starts_anything(self, line: str, console: Console, servers: Servers):
        port = ("--port", str(console.port))
        assert run(console, servers, "up", "--no-demo", *port) == (1, "", f"hubconsole: {line}\n")
        assert not (console.home / "valkey").exists()

    def test_every_command_of_the_console_refuses(self, line: str):
        unrefused = {name for name in OURS if refusal_of_command([name]) != line}
        assert unrefused == {"attach", "completion", "detach", "migrate", "service", "spark", "up"}

    def test_help_and_commands_without_a_database_do_not_refuse(self, line: str):
        for words in (
            [],
            ["--version"],
            ["cancel", "--help"],
            ["flush", "-h"],
            ["makemigrations"],
            ["check"],
        ):
            assert refusal_of_command(words) is None

    def test_services_refuse(self, line: str):
        with pytest.raises(CannotStart) as refused:
            preflight.check_version()
        assert str(refused.value) == line
        with pytest.raises(CommandError) as refused:
            call_command("migrate", verbosity=0)
        assert str(refused.value) == line


@pytest.mark.usefixtures("cleverbus")
class TestCommandsOnCleverBus:
    @pytest.mark.parametrize("command", [("migrate",), ("migrate", "--check")])
    @pytest.mark.slow
    def test_migrate_refuses(self, command: tuple[str, ...], console: Console, servers: Servers):
        assert run(console, servers, *command) == (1, "", f"CommandError: {LINE}\n")

    @pytest.mark.parametrize(
        "command",
        quick_first(
            [
                ("flush", "--no-input"),
                ("createsuperuser", "--username", "ada"),
                ("load_messages", "."),
                ("cancel", "--no-such-option"),
                ("doctor",),
            ]
        ),
    )
    def test_others_refuse(self, command: tuple[str, ...], console: Console, servers: Servers):
        assert run(console, servers, *command) == (1, "", f"hubconsole: {LINE}\n")

    def test_health_reports_it(self):
        with pytest.raises(Unhealthy) as reported:
            check_server()
        assert (reported.value.why, reported.value.do) == (f"the{CLEVERBUS_2[3:-1]}", DO)


class TestOfOtherTables:
    @pytest.fixture(autouse=True)
    def _hub(self, django_db_setup, django_db_blocker) -> Iterator[None]:
        with django_db_blocker.unblock(), hub_database("CleverBus 2.0", filled=False):
            yield

    def test_a_hub_of_no_known_release_is_refused_with_the_difference(self):
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE message DROP service")
        assert refusal_of_database() == (
            "The database hub contains tables that resemble those of a hub in the schema public (its tables"
            f" are of no known release: message.service is missing). {DO}"
        )

    def test_several_hubs_are_all_named(self):
        with connection.cursor() as cursor:
            cursor.execute("CREATE SCHEMA second; CREATE TABLE second.message (LIKE message)")
        assert refusal_of_database().startswith(
            f"{CLEVERBUS_2[:-1]} and tables that resemble those of a hub in the schema second ("
        )

    def test_a_hub_in_a_schema_that_is_not_searched_is_refused(self):
        with connection.cursor() as cursor:
            cursor.execute("ALTER SCHEMA public RENAME TO elsewhere; CREATE SCHEMA public")
        assert "CleverBus 2.x, in the schema elsewhere" in refusal_of_database()


@pytest.mark.django_db
class TestOfOurOwnTables:
    def test_they_are_allowed_after_two_queries(self):
        with CaptureQueriesContext(connection) as queries:
            assert refusal_of_command(["cancel"]) is None
        assert len(queries) == 2
        assert refusal_of_database() is None
        check_server()

    def test_a_server_that_does_not_answer_refuses_nothing(self, monkeypatch: pytest.MonkeyPatch):
        connection.close()
        monkeypatch.setitem(connection.settings_dict, "PORT", 1)
        assert refusal_of_command(["cancel"]) is None

    def test_an_older_server_is_refused(self, monkeypatch: pytest.MonkeyPatch):
        version, *_ = connection.get_database_version()
        monkeypatch.setattr(suitability, "OLDEST_POSTGRESQL", version + 1)
        line = f"PostgreSQL {version} is too old. Move to PostgreSQL 15 or newer."
        assert refusal_of_database() == refusal_of_command(["flush"]) == line
        with pytest.raises(Unhealthy, match=f"PostgreSQL {version} is too old"):
            check_server()
