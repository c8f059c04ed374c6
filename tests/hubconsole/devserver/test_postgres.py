from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from hubconsole.devserver.postgres import make_database, prepare_postgres
from hubconsole.devserver.processes import open_log
from messages_app.core.embedded_servers import CannotStart, database_url
from tests.support.servers import Servers


@pytest.fixture(scope="module")
def embedded() -> Iterator[Path]:
    """Give the home of an embedded server. The other tests may run with another PostgreSQL."""
    servers = Servers()
    try:
        servers.start(prepare_postgres(servers.home))
        make_database(servers.home)
        yield servers.home
    finally:
        servers.stop()


class TestUrl:
    def test_opens_the_server_only_with_its_password(self, servers: Servers):
        url = database_url(servers.home)
        psycopg.connect(url).close()

        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(url, password="guessed")


class TestPrepare:
    @pytest.mark.parametrize(
        ("setting", "value"),
        [
            ("wal_compression", "pglz"),
            ("max_wal_size", "4GB"),
            ("checkpoint_timeout", "15min"),
            ("listen_addresses", "127.0.0.1"),
            ("unix_socket_directories", ""),
            ("TimeZone", "UTC"),
        ],
    )
    def test_sets_what_the_design_asks_for(self, embedded: Path, setting: str, value: str):
        with psycopg.connect(database_url(embedded)) as connection:
            assert connection.execute(f"SHOW {setting}").fetchone() == (value,)

    def test_refuses_data_of_another_major_version(self, tmp_path: Path):
        data = tmp_path / "postgres" / "data"
        data.mkdir(parents=True)
        (data / "PG_VERSION").write_text("19\n")

        with pytest.raises(CannotStart, match="is of PostgreSQL 19, but this version of the console runs 18"):
            prepare_postgres(tmp_path)

        assert [path.name for path in data.iterdir()] == ["PG_VERSION"]

    def test_reports_a_full_disk_from_the_log(self, servers: Servers):
        home = servers.home / "full"
        program = prepare_postgres(home)
        with open_log(home, "postgres") as log:
            log.write(b"PANIC: could not write to file: No space left on device\n")

        assert "is full" in program.explain()

    def test_describes_what_it_answers_until_it_is_ready(self, servers: Servers):
        program = prepare_postgres(servers.home / "not-started")

        assert program.is_ready is not None
        assert not program.is_ready()
        assert program.describe() == "Connection refused"


class TestMakeDatabase:
    def test_does_not_change_an_existing_one(self, servers: Servers):
        make_database(servers.home)
