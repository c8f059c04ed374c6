from pathlib import Path

import pytest
from django.conf import settings

from hubconsole.checks import Unhealthy
from hubconsole.checks.hardening import check_hardening, iterate_dangers, list_switched_off
from messages_app.audit.stream.addresses import read_receiver


@pytest.fixture(autouse=True)
def production(settings, monkeypatch) -> None:
    """Set all as the deploy guide has it, with servers on other machines."""
    settings.ALLOWED_HOSTS = ["hub.example.org"]
    settings.IS_LOOPBACK = settings.DEBUG = False
    settings.SECOND_FACTOR, settings.BULK_GUARD = "required", "password"
    settings.DATABASE_ROLES, settings.WITHOUT_TLS = "separate", []
    use_database(monkeypatch, "db.example.org", "verify-full")
    settings.SPARK_DATABASE = database("db.example.org", "verify-ca")
    settings.OWNER_DATABASE_URL = ""
    settings.CELERY_BROKER_URL = "rediss://:p@broker.example.org/0?ssl_cert_reqs=required"
    settings.SPARK_REMOTE = "sc://spark.example.org:15002/;token=x;use_ssl=true"
    settings.EMAIL_HOST, settings.EMAIL_USE_TLS = "mail.example.org", True
    settings.AUDIT_STREAM = read_receiver("syslog+tls://log.example.org:6514")
    settings.S3_ENDPOINT = "https://s3.example.org"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://otel.example.org:4318")


def database(host: str, mode: str = "") -> dict[str, object]:
    return {"HOST": host, "OPTIONS": {"sslmode": mode} if mode else {}}


def use_database(monkeypatch, host: str, mode: str = "") -> None:
    """Change the address of the console's own database, to which these tests do not connect."""
    for name, value in database(host, mode).items():
        monkeypatch.setitem(settings.DATABASES["default"], name, value)


def codes() -> list[str]:
    return [danger.code for danger in iterate_dangers()]


class TestIterateDangers:
    def test_finds_none_in_the_settings_of_the_guide(self):
        assert codes() == []
        assert list_switched_off() == []
        assert check_hardening() is None

    @pytest.mark.parametrize(
        ("name", "value", "code"),
        [
            ("DEBUG", True, "E001"),
            ("ALLOWED_HOSTS", ["*"], "E002"),
            ("ALLOWED_HOSTS", ["hub.example.org", "*"], "E002"),
            ("SPARK_DATABASE", database("db.example.org", "require"), "E003"),
            ("OWNER_DATABASE_URL", "postgresql://owner:p@db.example.org/hub", "E003"),
            ("CELERY_BROKER_URL", "redis://:p@broker.example.org/0", "E003"),
            ("CELERY_BROKER_URL", "rediss://:p@broker.example.org/0?ssl_cert_reqs=none", "E003"),
            ("CELERY_BROKER_URL", "rediss://:p@broker.example.org/0", "E003"),
            ("CELERY_BROKER_URL", "amqp://u:p@broker.example.org//", "E003"),
            ("CELERY_BROKER_URL", "amqps://u:p@one.example.org//;amqp://u:p@two.example.org//", "E003"),
            ("SPARK_REMOTE", "sc://spark.example.org:15002/;token=x", "E003"),
            ("EMAIL_USE_TLS", False, "E003"),
            ("AUDIT_STREAM", read_receiver("syslog+tcp://log.example.org:514"), "E003"),
            ("S3_ENDPOINT", "http://s3.example.org", "E003"),
            ("SPARK_REMOTE", "sc://spark.example.org:15002/;use_ssl=false;token=x", "E003"),
        ],
    )
    def test_names_what_is_unsafe(self, settings, name, value, code):
        setattr(settings, name, value)
        assert codes() == [code]

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("SPARK_DATABASE", None),
            ("CELERY_BROKER_URL", "redis://:p@127.0.0.1:6379/0"),
            ("CELERY_BROKER_URL", "redis+socket:///run/redis.sock"),
            ("CELERY_BROKER_URL", "amqps://u:p@broker.example.org//"),
            ("SPARK_REMOTE", "sc://localhost:15002/;token=x"),
            ("SPARK_REMOTE", ""),
            ("AUDIT_STREAM", read_receiver("syslog+udp://127.0.0.1:514")),
            ("AUDIT_STREAM", None),
            ("S3_ENDPOINT", "http://127.0.0.1:9000"),
            ("S3_ENDPOINT", ""),
        ],
    )
    def test_accepts_connections_within_the_machine_and_with_tls(self, settings, name, value):
        setattr(settings, name, value)
        assert codes() == []

    @pytest.mark.parametrize(
        ("host", "mode", "found"),
        [
            ("", "", []),
            ("/run/postgresql", "", []),
            ("127.0.0.1,localhost", "", []),
            ("db.example.org", "", ["E003"]),
            ("db.example.org", "require", ["E003"]),
            ("/run/postgresql,db.example.org", "prefer", ["E003"]),
        ],
    )
    def test_names_a_database_elsewhere_whose_certificate_is_not_checked(
        self, monkeypatch, host, mode, found
    ):
        use_database(monkeypatch, host, mode)
        assert codes() == found

    def test_names_a_collector_elsewhere_without_tls(self, monkeypatch):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://otel.example.org:4318")
        (danger,) = iterate_dangers()
        assert danger.do.startswith("Use https:// in OTEL_EXPORTER_OTLP_ENDPOINT.")
        monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
        assert codes() == []

    def test_accepts_a_connection_without_tls_only_by_its_name(self, settings):
        settings.CELERY_BROKER_URL, settings.SPARK_REMOTE = "redis://broker.example.org", "sc://s.example.org"
        settings.WITHOUT_TLS = ["spark"]
        (danger,) = iterate_dangers()
        assert danger.why == (
            "the connection for broker leaves this machine without TLS and a checked certificate"
        )
        assert danger.do.endswith("To accept it, add broker to HUBCONSOLE_WITHOUT_TLS.")

    def test_finds_none_on_this_machine(self, settings):
        settings.IS_LOOPBACK = settings.DEBUG = True
        settings.ALLOWED_HOSTS = ["localhost"]
        settings.SECOND_FACTOR = "offered"
        assert codes() == list_switched_off() == []
        assert check_hardening() == "not needed: only this machine reaches the console"


class TestCheckHardening:
    def test_names_each_setting_that_turns_a_protection_off(self, settings):
        settings.SECOND_FACTOR, settings.BULK_GUARD, settings.DATABASE_ROLES = "offered", "none", "one"
        settings.WITHOUT_TLS = ["broker", "spark"]
        assert check_hardening() == (
            "turned off: HUBCONSOLE_SECOND_FACTOR=offered, HUBCONSOLE_BULK_GUARD=none, "
            "HUBCONSOLE_DATABASE_ROLES=one, HUBCONSOLE_WITHOUT_TLS=broker,spark"
        )

    def test_fails_with_all_that_is_unsafe(self, settings):
        settings.DEBUG, settings.ALLOWED_HOSTS = True, ["*"]
        with pytest.raises(Unhealthy, match=r"DJANGO_DEBUG is on.*; DJANGO_ALLOWED_HOSTS contains") as said:
            check_hardening()
        assert said.value.do == "Set DJANGO_DEBUG=0. List the hosts."


def test_the_guide_names_every_setting_of_a_protection():
    guide = Path("docs/reference/security.md").read_text()
    for name in ("SECOND_FACTOR", "BULK_GUARD", "DATABASE_ROLES", "WITHOUT_TLS"):
        assert f"HUBCONSOLE_{name}" in guide
