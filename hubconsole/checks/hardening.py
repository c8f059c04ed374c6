"""
The protections of a console that other machines reach. They are on by default there.

Each is turned off only by a setting of its own, which `doctor` and `check --deploy` name.

Source: docs/reference/security.md, "Protection in production".
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.conf import settings

from hubconsole import telemetry
from hubconsole.checks import Unhealthy
from hubconsole.environment import read_database
from messages_app.shared.job_states import BulkGuard

_LOCAL = {"", "localhost", "127.0.0.1", "::1"}
# Modes of libpq in which the certificate of the server is checked.
_VERIFIED = {"verify-full", "verify-ca"}


@dataclass(frozen=True, kw_only=True)
class Danger:
    """
    Something that is unsafe in production.

    Args:
        code: of the message of `check --deploy`.
        why, do: a sentence without its full stop, and the remedy.
    """

    code: str
    why: str
    do: str


def iterate_dangers() -> Iterator[Danger]:
    """Yield what is unsafe, unless only this machine reaches the console."""
    if settings.IS_LOOPBACK:
        return
    if settings.DEBUG:
        why = "DJANGO_DEBUG is on, so errors show code and settings to anyone"
        yield Danger(code="E001", why=why, do="Set DJANGO_DEBUG=0.")
    if any(host.startswith("*") for host in settings.ALLOWED_HOSTS):
        why = "DJANGO_ALLOWED_HOSTS contains *, so any Host header is accepted"
        yield Danger(code="E002", why=why, do="List the hosts.")
    for name, remedy in _iterate_plain_connections():
        if name not in settings.WITHOUT_TLS:
            yield Danger(
                code="E003",
                why=f"the connection for {name} leaves this machine without TLS and a checked certificate",
                do=f"{remedy} To accept it, add {name} to HUBCONSOLE_WITHOUT_TLS.",
            )


def list_switched_off() -> list[str]:
    """Return the settings that turn a protection off, as NAME=VALUE."""
    if settings.IS_LOOPBACK:
        return []
    values = {
        "HUBCONSOLE_SECOND_FACTOR": settings.SECOND_FACTOR
        if settings.SECOND_FACTOR in {"offered", "off"}
        else "",
        "HUBCONSOLE_BULK_GUARD": settings.BULK_GUARD if settings.BULK_GUARD == BulkGuard.NONE else "",
        "HUBCONSOLE_DATABASE_ROLES": settings.DATABASE_ROLES if settings.DATABASE_ROLES == "one" else "",
        "HUBCONSOLE_WITHOUT_TLS": ",".join(settings.WITHOUT_TLS),
    }
    return [f"{name}={value}" for name, value in values.items() if value]


def check_hardening() -> str | None:
    """Raise Unhealthy if something is unsafe; return the protections that are turned off."""
    if dangers := list(iterate_dangers()):
        raise Unhealthy("; ".join(danger.why for danger in dangers), " ".join(each.do for each in dangers))
    if off := list_switched_off():
        return f"turned off: {', '.join(off)}"
    return "not needed: only this machine reaches the console" if settings.IS_LOOPBACK else None


def _iterate_plain_connections() -> Iterator[tuple[str, str]]:
    databases = [settings.DATABASES["default"], settings.SPARK_DATABASE]
    if settings.OWNER_DATABASE_URL:
        databases.append(read_database("HUBCONSOLE_OWNER_DATABASE_URL", settings.OWNER_DATABASE_URL))
    if any(database and _is_plain_database(database) for database in databases):
        yield "database", "Add ?sslmode=verify-full&sslrootcert=FILE to its addresses."
    if _is_plain_broker(settings.CELERY_BROKER_URL):
        yield "broker", "Use rediss:// or amqps:// in CELERY_BROKER_URL."
    if settings.SPARK_REMOTE and _is_plain_spark(settings.SPARK_REMOTE):
        yield "spark", "Add ;use_ssl=true to SPARK_REMOTE."

    if settings.EMAIL_HOST not in _LOCAL and not settings.EMAIL_USE_TLS:
        yield "mail", "Set HUBCONSOLE_SMTP_TLS=1."
    receiver = settings.AUDIT_STREAM
    if receiver and receiver.scheme in {"syslog+udp", "syslog+tcp"} and receiver.host not in _LOCAL:
        yield "audit", "Use syslog+tls:// or https:// in HUBCONSOLE_AUDIT_STREAM."
    if _is_plain_web(settings.S3_ENDPOINT):
        yield "store", "Use https:// in HUBCONSOLE_S3_ENDPOINT."
    if telemetry.is_wanted() and _is_plain_web(os.environ[telemetry.ENDPOINT]):
        yield "telemetry", f"Use https:// in {telemetry.ENDPOINT}."


def _is_plain_web(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "http" and (parts.hostname or "") not in _LOCAL


def _is_plain_database(database: Mapping[str, Any]) -> bool:
    hosts = str(database.get("HOST") or "").split(",")
    is_local = all(host in _LOCAL or host.startswith("/") for host in hosts)
    return not is_local and database.get("OPTIONS", {}).get("sslmode") not in _VERIFIED


def _is_plain_broker(url: str) -> bool:
    """Whether any of the addresses, which Celery takes with semicolons, is without TLS."""
    return any(_is_plain_address(address) for address in url.split(";") if address)


def _is_plain_address(address: str) -> bool:
    parts = urlsplit(address)
    if (parts.hostname or "") in _LOCAL or parts.scheme.endswith(("socket", "unix")):
        return False
    if parts.scheme == "amqps":
        return False
    checked = parse_qs(parts.query).get("ssl_cert_reqs", [""])[-1].lower().removeprefix("cert_")
    return parts.scheme != "rediss" or checked != "required"


def _is_plain_spark(remote: str) -> bool:
    parts = urlsplit(remote)
    parameters = parts.path.removeprefix("/").split(";")
    return (parts.hostname or "") not in _LOCAL and "use_ssl=true" not in map(str.lower, parameters)
