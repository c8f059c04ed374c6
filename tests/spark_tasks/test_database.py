import pytest

from messages_app.jobs.connections import database_dsn
from spark_tasks.database import connect_to_database


@pytest.mark.django_db
class TestConnect:
    def test_has_no_plan_compiled_and_waits_for_no_lock_for_long(self):
        with connect_to_database(database_dsn()) as connection:
            shown = [connection.execute(f"SHOW {name}").fetchone()[0] for name in ("jit", "lock_timeout")]
        assert shown == ["off", "2s"]

    def test_keeps_the_options_of_the_address_and_overrides_its_timeouts(self):
        dsn = f"{database_dsn()} options='-c search_path=pg_catalog -c lock_timeout=9s'"
        with connect_to_database(dsn) as connection:
            names = ("search_path", "lock_timeout", "jit")
            shown = [connection.execute(f"SHOW {name}").fetchone()[0] for name in names]
        assert shown == ["pg_catalog", "2s", "off"]

    def test_reads_text_from_a_database_without_an_encoding(self, monkeypatch):
        monkeypatch.setenv("PGCLIENTENCODING", "SQL_ASCII")  # the default in such a database
        with connect_to_database(database_dsn()) as connection:
            assert connection.execute("SELECT pg_export_snapshot() > '', 'Zürich'").fetchone() == (
                True,
                "Zürich",
            )

    def test_writes_times_as_arrow_reads_them_in_any_database(self):
        with connect_to_database(
            f"{database_dsn()} options='-c datestyle=German -c timezone=Asia/Tokyo'"
        ) as connection:
            written = connection.execute("SELECT timestamptz '2026-05-01 09:30:00+09'::text").fetchone()
        assert written == ("2026-05-01 00:30:00+00",)

    def test_lets_the_server_notice_within_35_seconds_that_a_machine_was_cut_off(self):
        names = ("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count")
        with connect_to_database(database_dsn()) as connection:
            idle, interval, count = (int(connection.execute(f"SHOW {name}").fetchone()[0]) for name in names)
            (check,) = connection.execute("SHOW client_connection_check_interval").fetchone()
        assert idle + interval * count == 35
        assert check == "10s"
