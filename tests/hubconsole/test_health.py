import json
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.functions import Now
from django.http import HttpResponse
from django.test import Client
from django_celery_beat.models import PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

from hubconsole import health
from hubconsole.celery import app
from hubconsole.checks import database, servers
from tests.support.api_client import caller
from tests.support.page_client import client_of
from tests.support.servers import Servers
from tests.support.threads import in_threads

OTHER_PARTS = servers.PARTS  # a fixture has that name


@pytest.mark.django_db(transaction=True)
class TestCheck:
    def test_shows_which_part_does_not_work(self):
        found = health.check_parts()

        assert found["database"] == {"ok": True}
        assert found["broker"] == {"ok": True}
        assert found["migrations"] == found["clock"] == found["indexes"] == found["disk"] == {"ok": True}
        assert found["workers"]["why"] == "no worker of short and spark and store answered within a second"
        assert "celery -A hubconsole worker -Q spark" in found["workers"]["do"]
        assert found["beat"]["why"] == "beat has never run"
        assert found["ok"] is False

    def test_shows_what_the_database_lacks_and_how_to_make_it(self):
        with connection.cursor() as cursor:
            cursor.execute("ALTER INDEX audit_msg_idx RENAME TO elsewhere")
            cursor.execute("DELETE FROM django_migrations WHERE name = '0007_cp_queue'")
        try:
            found = health.check_parts(deadline=10)
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ALTER INDEX elsewhere RENAME TO audit_msg_idx")
            MigrationRecorder(connection).record_applied("messages_app", "0007_cp_queue")
        assert "audit_msg_idx" in found["indexes"]["why"]
        assert 'CREATE INDEX CONCURRENTLY "audit_msg_idx" ON "audit_entry"' in found["indexes"]["do"]
        assert "messages_app.0007_cp_queue" in found["migrations"]["why"]
        assert "manage.py migrate" in found["migrations"]["do"]

    def test_recognizes_a_beat_by_what_it_wrote(self):
        DatabaseScheduler(app=app)
        assert health.check_parts()["beat"] == {"ok": True}
        PeriodicTask.objects.filter(name="sweep-jobs").update(enabled=False)
        assert health.check_parts()["beat"] == {
            "ok": True,
            "note": "disabled in django_celery_beat_periodictask: sweep-jobs",
        }
        PeriodicTask.objects.update(date_changed=Now() - timedelta(hours=1), last_run_at=None)
        assert health.check_parts()["beat"]["why"].startswith("beat has not reported for 60 min")

    def test_reports_that_the_disk_is_nearly_full(self, monkeypatch):
        monkeypatch.setattr(servers, "MIN_FREE_BYTES", 10**18)
        found = health.check_parts()["disk"]
        assert found["why"].startswith("the disk of HUBCONSOLE_HOME has")
        assert "Free disk space" in found["do"]

    def test_finds_spark_when_it_serves(self, spark_remote: str):
        assert health.check_parts()["spark"] == {"ok": True}

    def test_takes_two_seconds_at_most_if_nothing_answers(self, settings):
        settings.CELERY_BROKER_URL = "redis://192.0.2.1:6379/0"  # a network that leads nowhere
        settings.SPARK_REMOTE = "sc://192.0.2.1:15002"

        began = time.monotonic()
        found = health.check_parts()

        assert time.monotonic() - began < 2
        assert not found["broker"]["ok"]
        assert not found["spark"]["ok"]


@pytest.mark.django_db(transaction=True)
class TestView:
    def test_needs_no_login_and_shows_strangers_only_whether_all_is_well(
        self, client: Client, servers: Servers
    ):
        answer = client.get("/health/")
        assert (answer.status_code, json.loads(answer.content)) == (503, {"ok": False})
        for header in ("Token hubc_none", "Bearer x", "Token"):
            answer = client.get("/health/", headers={"Authorization": header})
            assert (answer.status_code, json.loads(answer.content)) == (503, {"ok": False})

    def test_shows_users_and_tokens_the_failed_part_and_no_secret(self, servers: Servers):
        token = caller("support")
        answers = [
            client_of("support", username="grace").get("/health/"),
            token.client.get("/health/", headers=token.headers),
        ]
        for answer in answers:
            assert answer.status_code == 503
            assert set(json.loads(answer.content)) == {"ok", *database.PARTS, *OTHER_PARTS}
            assert "//" not in answer.content.decode()

    def test_answers_a_session_without_a_database(self, servers: Servers):
        client = client_of("support")

        def get() -> HttpResponse:
            broken = connection.settings_dict | {"HOST": "127.0.0.1", "PORT": "1"}
            connection.close()
            connection.settings_dict = broken
            return client.get("/health/")

        (answer,) = in_threads(get)
        assert (answer.status_code, json.loads(answer.content)) == (503, {"ok": False})
