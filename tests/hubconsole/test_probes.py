import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

LIVE, READY = "/health/live/", "/health/ready/"
UNREACHABLE = {"HOST": "127.0.0.1", "PORT": "1"}


@pytest.fixture
def behind_tls(settings) -> None:
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["hub.example.org"], True


def ask(address: str) -> tuple[int, bool]:
    """Ask as Kubernetes does: by the address of a pod, and without TLS."""
    answer = Client(headers={"host": "10.244.1.9:8000"}).get(address)
    return answer.status_code, answer.json()["ok"]


@pytest.mark.django_db(transaction=True)
class TestReady:
    def test_answers_any_host_without_tls(self, behind_tls):
        assert ask(READY) == (200, True)

    def test_fails_while_a_migration_is_missing(self, behind_tls):
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM django_migrations WHERE name = '0007_cp_queue'")
        try:
            assert ask(READY) == (503, False)
        finally:
            MigrationRecorder(connection).record_applied("messages_app", "0007_cp_queue")

    def test_succeeds_with_the_tables_of_a_newer_version(self, behind_tls):
        MigrationRecorder(connection).record_applied("messages_app", "9999_of_tomorrow")
        try:
            assert ask(READY) == (200, True)
        finally:
            MigrationRecorder(connection).record_unapplied("messages_app", "9999_of_tomorrow")

    def test_fails_without_the_database(self, behind_tls, monkeypatch):
        connection.close()
        with monkeypatch.context() as patch:
            for name, value in UNREACHABLE.items():
                patch.setitem(connection.settings_dict, name, value)
            assert ask(READY) == (503, False)
            connection.close()


class TestLive:
    def test_answers_without_a_database(self, behind_tls):
        """Without the mark of pytest-django, a test that uses the database fails."""
        assert ask(LIVE) == (200, True)

    def test_leaves_every_other_request_to_the_pages(self, behind_tls):
        client = Client(headers={"host": "10.244.1.9:8000"})
        assert client.post(LIVE).status_code == 400
        assert client.get("/health/").status_code == 400
