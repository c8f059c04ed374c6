import json
import time

import pytest
from django.test import Client

from hubconsole import health
from tests.servers import Servers


@pytest.mark.django_db(transaction=True)
class TestCheck:
    def test_says_which_part_does_not_work(self):
        found = health.check()

        assert found["database"] == {"ok": True}
        assert found["broker"] == {"ok": True}
        assert found["workers"] == {"ok": False, "why": "no worker serves short and spark and store"}
        assert found["ok"] is False

    def test_finds_spark_when_it_serves(self, spark_remote: str):
        assert health.check()["spark"] == {"ok": True}

    def test_takes_two_seconds_at_most_where_nothing_answers(self, settings, monkeypatch):
        settings.CELERY_BROKER_URL = "redis://192.0.2.1:6379/0"  # a network that leads nowhere
        monkeypatch.setenv("SPARK_REMOTE", "sc://192.0.2.1:15002")

        began = time.monotonic()
        found = health.check()

        assert time.monotonic() - began < 2
        assert not found["broker"]["ok"]
        assert not found["spark"]["ok"]


@pytest.mark.django_db(transaction=True)
class TestView:
    def test_needs_no_login_and_tells_no_secret(self, client: Client, servers: Servers):
        answer = client.get("/health/")

        assert answer.status_code == 503
        assert set(json.loads(answer.content)) == {"ok", "database", "broker", "spark", "workers"}
        assert "//" not in answer.content.decode()
