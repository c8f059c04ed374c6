"""The settings in force: values, origins, and no secrets."""

import pytest
from django.db import connection

from hubconsole.administration.settings_page import InForce, settings_in_force
from messages_app.audit.services import SYSTEM
from messages_app.message_store.services.monitor_settings import set_limits

pytestmark = pytest.mark.django_db

SECRETS = {
    "DATABASE_URL": "postgresql://ada:hush1@db.example,other:5433/hub?sslmode=require&password=hush2",
    "HUBCONSOLE_SPARK_DATABASE_URL": "postgresql://spark:a/hush3@db.example/hub",
    "HUBCONSOLE_OWNER_DATABASE_URL": "postgresql://owner:a@hush4@db.example/hub",
    "CELERY_BROKER_URL": "redis://:hush5@broker.example:6379/0",
    "SPARK_REMOTE": "sc://spark.example:15002/;use_ssl=true;token=hush6;user_id=x",
    "HUBCONSOLE_ARCHIVE_URI": "s3://key:hush7@bucket/archive",
    "DJANGO_SECRET_KEY": "hush8",
    "DJANGO_SECRET_KEY_FALLBACKS": "hush9,hush9",
    "HUBCONSOLE_SMTP_PASSWORD": "hush10",
    "HUBCONSOLE_WEBHOOK_SECRET": "hush11",
}


def in_force() -> dict[str, InForce]:
    return {each.name: each for _, lines in settings_in_force() for each in lines}


class TestSettingsInForce:
    def test_have_no_secrets(self, monkeypatch):
        for name, value in SECRETS.items():
            monkeypatch.setenv(name, value)
        values = {name: each.value for name, each in in_force().items()}
        assert "hush" not in str(values)
        assert {name: values[name] for name in SECRETS} == {
            "DATABASE_URL": "postgresql://***@db.example,other:5433/hub?sslmode=require&password=***",
            "HUBCONSOLE_SPARK_DATABASE_URL": "postgresql://***@db.example/hub",
            "HUBCONSOLE_OWNER_DATABASE_URL": "postgresql://***@db.example/hub",
            "CELERY_BROKER_URL": "redis://***@broker.example:6379/0",
            "SPARK_REMOTE": "sc://spark.example:15002/;use_ssl=true;token=***;user_id=x",
            "HUBCONSOLE_ARCHIVE_URI": "s3://***@bucket/archive",
            "DJANGO_SECRET_KEY": "***",
            "DJANGO_SECRET_KEY_FALLBACKS": "***",
            "HUBCONSOLE_SMTP_PASSWORD": "***",
            "HUBCONSOLE_WEBHOOK_SECRET": "***",
        }

    def test_have_the_address_of_the_embedded_database(self, monkeypatch):
        monkeypatch.delenv("DATABASE_URL", raising=False)
        server = connection.settings_dict
        found = in_force()["DATABASE_URL"]
        assert found.value.startswith("postgresql://")
        assert f"{server['PORT']}" in found.value
        assert server["NAME"] in found.value
        assert found.origin == "file in HUBCONSOLE_HOME"

    def test_say_where_each_comes_from(self, monkeypatch, settings):
        for name in ("HUBCONSOLE_IDLE_MINUTES", "DJANGO_SECRET_KEY", "HUBCONSOLE_STORE_THREADS"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HUBCONSOLE_CP_LOG_DAYS", "7")
        monkeypatch.setenv("HUBCONSOLE_SMTP_USER", " ")
        settings.CP_LOG_DAYS, settings.IDLE_MINUTES = 7, 15
        set_limits(values={"threads": 3}, actor=SYSTEM, reason="r")
        found = {name: (each.value, each.origin.value) for name, each in in_force().items()}
        assert found["HUBCONSOLE_CP_LOG_DAYS"] == ("7", "environment")
        assert found["HUBCONSOLE_IDLE_MINUTES"] == ("15", "default")
        assert found["HUBCONSOLE_STORE_THREADS"] == ("3", "monitor's page")
        assert found["DJANGO_SECRET_KEY"] == ("***", "file in HUBCONSOLE_HOME")
        assert found["HUBCONSOLE_SMTP_USER"] == ("–", "default")

    def test_are_written_as_people_write_them(self, settings):
        settings.DEBUG, settings.TRUSTED_PROXIES = False, ["10.0.0.1", "10.0.0.2"]
        settings.WEBHOOK_HOSTS, settings.CP_RETRY_SECONDS = [], 30.0
        values = {name: each.value for name, each in in_force().items()}
        assert values["DJANGO_DEBUG"] == "off"
        assert values["HUBCONSOLE_TRUSTED_PROXIES"] == "10.0.0.1, 10.0.0.2"
        assert values["HUBCONSOLE_WEBHOOK_HOSTS"] == "–"
        assert values["HUBCONSOLE_CP_RETRY_SECONDS"] == "30"
        assert values["HUBCONSOLE_STORE_MESSAGE_TIMEOUT"] == "3456000"
        assert values["HUB_RULES"] == "cleverbus"
