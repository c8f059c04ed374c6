"""The page of settings and health."""

import time

import pytest

from hubconsole.administration import settings_page
from hubconsole.checks import database, servers
from tests.support.page_client import client_of, text_of
from tests.support.page_tables import read_facts, read_texts

POLL = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def forget():
    """Forget the report of an earlier test."""
    settings_page._latest.clear()
    yield
    settings_page._latest.clear()


@pytest.mark.django_db
class TestSettings:
    def test_shows_each_setting_with_value_and_origin(self, monkeypatch, settings):
        monkeypatch.setenv("HUBCONSOLE_CP_LOG_DAYS", "7")
        settings.CP_LOG_DAYS = 7
        page = client_of("admin").get("/settings/")
        rows = read_texts(page, "CP queue", "Setting", "Value", "From")
        assert ("HUBCONSOLE_CP_LOG_DAYS", "7", "environment") in rows
        assert ("HUBCONSOLE_CP_MAX_ATTEMPTS", "10", "default") in rows

    def test_shows_first_what_is_not_the_default(self, monkeypatch, settings):
        monkeypatch.setenv("HUBCONSOLE_CP_LOG_DAYS", "7")
        settings.CP_LOG_DAYS = 7
        rows = read_texts(client_of("admin").get("/settings/"), "Not the default", "Setting", "Value", "From")
        assert ("HUBCONSOLE_CP_LOG_DAYS", "7", "environment") in rows
        assert "HUBCONSOLE_CP_MAX_ATTEMPTS" not in {name for name, _, _ in rows}

    @pytest.mark.parametrize("address", ["/settings/", "/settings/health/"])
    def test_is_for_administrators(self, address):
        assert client_of("operator").get(address).status_code == 403
        assert client_of("admin", username="grace").get(address).status_code == 200


@pytest.mark.django_db(transaction=True)
class TestHealth:
    def test_shows_the_fault_and_the_remedy_first(self):
        page = client_of("admin").get("/settings/health/", headers=POLL)
        text = text_of(page)
        assert "<html" not in text
        assert "<strong>Scheduler (beat)</strong>: beat has never run." in text
        assert "Start Celery&#x27;s beat" in text
        assert page.context["lines"][0].is_fine is False

    def test_shows_what_works_and_what_needs_attention(self):
        page = client_of("admin").get("/settings/health/")
        facts = {name: cell.text for name, cell in read_facts(page).items()}
        assert facts["Database"] == facts["Broker"] == facts["Disk"] == "OK"
        titles = {line.title for line in page.context["lines"]}
        names = {*database.doctor_parts(), *servers.PARTS}
        assert len(titles) == len(names)
        assert set(settings_page._TITLES) <= names

    def test_answers_in_time_if_parts_are_down(self, settings):
        settings.CELERY_BROKER_URL = "redis://192.0.2.1:6379/0"  # a network that leads nowhere
        settings.SPARK_REMOTE = "sc://192.0.2.1:15002"
        client, began = client_of("admin"), time.monotonic()
        page = client.get("/settings/health/")
        assert time.monotonic() - began < 15
        assert page.status_code == 200
        broken = {line.title for line in page.context["lines"] if not line.is_fine}
        assert {"Broker", "Workers", "Spark"} <= broken
        assert "192.0.2.1" not in text_of(page)

    def test_checks_once_for_several_readers(self):
        client = client_of("admin")
        first, second = (client.get("/settings/health/").context["lines"] for _ in range(2))
        at, _ = settings_page._latest["report"]
        assert first == second
        settings_page._latest["report"] = (at - 11, {"ok": True, "database": {"ok": True}})
        assert len(client.get("/settings/health/").context["lines"]) > 10

    def test_is_the_last_step_of_the_setup_checklist(self):
        text = text_of(client_of("admin").get("/setup/health/", headers=POLL))
        assert "Not yet: Scheduler (beat)" in text
        assert "not done" in text
        assert "<html" not in text

    def test_is_the_page_of_all_parts_if_its_step_is_opened_on_its_own(self):
        page = client_of("admin").get("/setup/health/")
        assert len(page.context["lines"]) > 10
        assert 'data-answer="object"' in text_of(page)
