"""
The declared list of the settings: their names, what reads the value in force, and which ones are secret.

The order and the headings are those of docs/reference/settings.md, which a test compares with this list.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db import connection

from hubconsole.environment import MASKED, mask_address
from messages_app.message_store.settings import current_limits
from messages_app.messages.attachment import rules_of_hub, time_zone


@dataclass(frozen=True, kw_only=True)
class Declared:
    """
    A setting.

    Args:
        name: the environment variable.
        read: returns the value in force, without secrets.
        limit: the name among the settings that administrators may change on the monitor's page; empty: none.
        is_in_file: whether a file in HUBCONSOLE_HOME has the value if the environment has none.
    """

    name: str
    read: Callable[[], object]
    limit: str = ""
    is_in_file: bool = False


def _declare_attribute(name: str, attribute: str) -> Declared:
    """Declare a setting whose value is in an attribute of Django's settings."""
    return Declared(name=name, read=lambda: getattr(settings, attribute))


def _declare_secret(name: str, *, is_in_file: bool = False) -> Declared:
    """Declare a secret: only whether it has a value is shown."""
    return Declared(
        name=name, read=lambda: MASKED if is_in_file or os.environ.get(name) else "", is_in_file=is_in_file
    )


def _declare_address(name: str, attribute: str = "", *, is_in_file: bool = False) -> Declared:
    """Declare an address, which is shown without its secrets."""

    def read_address() -> str:
        text = os.environ.get(name) or (getattr(settings, attribute) if attribute else "")
        return mask_address(str(text))

    return Declared(name=name, read=read_address, is_in_file=is_in_file)


def _read_database() -> str:
    """Return the address of the database in use, without secrets."""
    if address := os.environ.get("DATABASE_URL"):
        return mask_address(address)
    server = connection.settings_dict
    host, port, name = server["HOST"], server["PORT"], server["NAME"]
    if str(host).startswith("/"):  # the folder of a socket
        return f"postgresql:///{name}?host={host}&port={port}"
    return f"postgresql://{MASKED}@{host}:{port}/{name}"


def _declare_limit(name: str, limit: str) -> Declared:
    """Declare a setting of the message store's monitor, which administrators may change on its page."""
    return Declared(name=name, read=lambda: current_limits().values()[limit], limit=limit)


def _declare_time(name: str) -> Declared:
    """Declare a time of the hub, which the console otherwise reads from an attached hub or assumes."""
    return Declared(name=name, read=lambda: getattr(settings, name) or "")


def _declare_provider(name: str) -> Declared:
    """Declare a setting of the identity provider."""
    return Declared(name=name, read=lambda: os.environ.get(name) or "")


def _read_rules() -> str:
    return settings.HUB_RULES or rules_of_hub(connection.settings_dict["NAME"])


_OIDC = (
    "HUBCONSOLE_OIDC_ISSUER",
    "HUBCONSOLE_OIDC_CLIENT_ID",
    "HUBCONSOLE_OIDC_NAME",
    "HUBCONSOLE_OIDC_GROUPS_CLAIM",
    "HUBCONSOLE_OIDC_SCOPES",
    "HUBCONSOLE_OIDC_STRONG_ACR",
    "HUBCONSOLE_OIDC_FILE",
)

SECTIONS: Mapping[str, tuple[Declared, ...]] = {
    "Servers and files": (
        Declared(name="DATABASE_URL", read=_read_database, is_in_file=True),
        _declare_address("HUBCONSOLE_SPARK_DATABASE_URL"),
        _declare_address("HUBCONSOLE_OWNER_DATABASE_URL"),
        _declare_attribute("HUBCONSOLE_DATABASE_ROLES", "DATABASE_ROLES"),
        _declare_attribute("HUBCONSOLE_WITHOUT_TLS", "WITHOUT_TLS"),
        _declare_address("CELERY_BROKER_URL", "CELERY_BROKER_URL"),
        _declare_address("SPARK_REMOTE", "SPARK_REMOTE"),
        _declare_attribute("SPARK_MASTER", "SPARK_MASTER"),
        _declare_attribute("HUBCONSOLE_HOME", "HUBCONSOLE_HOME"),
        _declare_address("HUBCONSOLE_ARCHIVE_URI", "HUBCONSOLE_ARCHIVE_URI"),
        _declare_address("HUBCONSOLE_ARCHIVE_FORMER_URI", "ARCHIVE_FORMER_URI"),
        _declare_address("HUBCONSOLE_EXPORT_URI", "EXPORT_URI"),
        _declare_address("HUBCONSOLE_S3_ENDPOINT", "S3_ENDPOINT"),
        _declare_attribute("HUBCONSOLE_S3_ENCRYPTION", "S3_ENCRYPTION"),
        _declare_attribute("HUBCONSOLE_S3_KMS_KEY", "S3_KMS_KEY"),
        _declare_attribute("HUBCONSOLE_ERASED_LIST", "ERASED_LIST"),
        _declare_attribute("HUBCONSOLE_ARCHIVED_TABLES", "ARCHIVED_TABLES"),
        Declared(name="HUBCONSOLE_UMASK", read=lambda: os.environ.get("HUBCONSOLE_UMASK") or "077"),
        Declared(
            name="HUBCONSOLE_LOG_FORMAT", read=lambda: os.environ.get("HUBCONSOLE_LOG_FORMAT") or "text"
        ),
        Declared(name="HUBCONSOLE_PULSE_FILE", read=lambda: os.environ.get("HUBCONSOLE_PULSE_FILE") or ""),
        _declare_address("OTEL_EXPORTER_OTLP_ENDPOINT"),
        _declare_address("HUBCONSOLE_AUDIT_STREAM"),
    ),
    "The web": (
        _declare_secret("DJANGO_SECRET_KEY", is_in_file=True),
        _declare_secret("DJANGO_SECRET_KEY_FALLBACKS"),
        _declare_attribute("DJANGO_ALLOWED_HOSTS", "ALLOWED_HOSTS"),
        _declare_attribute("DJANGO_DEBUG", "DEBUG"),
        _declare_attribute("HUBCONSOLE_IDLE_MINUTES", "IDLE_MINUTES"),
        _declare_attribute("HUBCONSOLE_REVEAL_MINUTES", "REVEAL_MINUTES"),
        _declare_attribute("HUBCONSOLE_SECOND_FACTOR", "SECOND_FACTOR"),
        _declare_attribute("HUBCONSOLE_PASSKEY_ORIGINS", "PASSKEY_ORIGINS"),
        _declare_attribute("HUBCONSOLE_BREACHED_PASSWORDS", "BREACHED_PASSWORDS"),
        *(_declare_provider(name) for name in _OIDC),
        _declare_secret("HUBCONSOLE_OIDC_CLIENT_SECRET"),
        _declare_attribute("HUBCONSOLE_TRUSTED_PROXIES", "TRUSTED_PROXIES"),
        _declare_attribute("HUBCONSOLE_REQUEST_SECONDS", "REQUEST_SECONDS"),
        _declare_attribute("HUBCONSOLE_API_REQUESTS_PER_MINUTE", "API_REQUESTS_PER_MINUTE"),
        _declare_attribute("HUBCONSOLE_SERVICE_REQUESTS_PER_MINUTE", "SERVICE_REQUESTS_PER_MINUTE"),
        _declare_attribute("HUBCONSOLE_PAGES_PER_MINUTE", "PAGES_PER_MINUTE"),
    ),
    "The hub": (
        _declare_attribute("HUBCONSOLE_HUB_NAME", "HUBCONSOLE_HUB_NAME"),
        _declare_attribute("HUBCONSOLE_HUB_COLOUR", "HUBCONSOLE_HUB_COLOUR"),
        Declared(name="HUB_RULES", read=_read_rules),
        Declared(name="HUB_TIME_ZONE", read=time_zone),
        _declare_time("HUB_POLL_SECONDS"),
        _declare_time("HUB_FAILED_REST_SECONDS"),
        _declare_time("HUB_POSTPONED_REST_SECONDS"),
    ),
    "Jobs": (
        _declare_attribute("HUBCONSOLE_JOB_HEARTBEAT_SECONDS", "JOB_HEARTBEAT_SECONDS"),
        _declare_attribute("HUBCONSOLE_JOB_LEASE_SECONDS", "JOB_LEASE_SECONDS"),
        _declare_attribute("HUBCONSOLE_SPARK_WARM_UP", "SPARK_WARM_UP"),
        _declare_attribute("HUBCONSOLE_JOB_CANARY_SECONDS", "JOB_CANARY_SECONDS"),
        _declare_attribute("HUBCONSOLE_JOB_ROOM_SECONDS", "JOB_ROOM_SECONDS"),
        _declare_attribute("HUBCONSOLE_JOB_UNDO_HOURS", "JOB_UNDO_HOURS"),
        _declare_attribute("HUBCONSOLE_BULK_GUARD", "BULK_GUARD"),
        _declare_attribute("HUBCONSOLE_BULK_GUARD_FROM", "BULK_GUARD_FROM"),
        _declare_attribute("HUBCONSOLE_RESEND_GUARD", "RESEND_GUARD"),
        _declare_attribute("HUBCONSOLE_BULK_GUARD_HOURS", "BULK_GUARD_HOURS"),
        _declare_attribute("HUBCONSOLE_JOBS_PER_USER", "JOBS_PER_USER"),
        _declare_attribute("HUBCONSOLE_EXPORT_DAYS", "EXPORT_DAYS"),
        Declared(name="HUBCONSOLE_EXPORT_MB", read=lambda: settings.EXPORT_BYTES // 10**6),
    ),
    "Document history": (
        _declare_attribute("HUBCONSOLE_RESOLVERS", "DOCUMENT_RESOLVERS"),
        _declare_attribute("HUBCONSOLE_SUSPEND_AND_RETRY_ON_ERROR", "SUSPEND_AND_RETRY_ON_ERROR"),
    ),
    "Message store": (
        _declare_limit("HUBCONSOLE_STORE_INTERVAL", "interval"),
        _declare_limit("HUBCONSOLE_STORE_QUEUE", "queue"),
        _declare_limit("HUBCONSOLE_STORE_THREADS", "threads"),
        _declare_limit("HUBCONSOLE_STORE_PROCESS_TIMEOUT", "process_timeout"),
        _declare_limit("HUBCONSOLE_STORE_MINIMUM_DELAY", "minimum_delay"),
        _declare_limit("HUBCONSOLE_STORE_MAXIMUM_DELAY", "maximum_delay"),
        _declare_limit("HUBCONSOLE_STORE_MINIMUM_DELAY_MULTIPLIER", "minimum_delay_multiplier"),
        _declare_limit("HUBCONSOLE_STORE_AGE_MULTIPLIER", "age_multiplier"),
        _declare_limit("HUBCONSOLE_STORE_AGE_EXPONENT", "age_exponent"),
        _declare_limit("HUBCONSOLE_STORE_MESSAGE_TIMEOUT", "message_timeout"),
        _declare_attribute("HUBCONSOLE_STORE_WORK_SECONDS", "MESSAGE_STORE_WORK_SECONDS"),
        _declare_attribute("HUBCONSOLE_STORE_FILES", "MESSAGE_STORE_FILES"),
        _declare_attribute("HUBCONSOLE_STORE_EXTENSIONS", "MESSAGE_STORE_EXTENSIONS"),
    ),
    "CP queue": (
        _declare_attribute("HUBCONSOLE_CP_RETRY_SECONDS", "CP_RETRY_SECONDS"),
        _declare_attribute("HUBCONSOLE_CP_MAX_ATTEMPTS", "CP_MAX_ATTEMPTS"),
        _declare_attribute("HUBCONSOLE_CP_SILENT_SECONDS", "CP_SILENT_SECONDS"),
        _declare_attribute("HUBCONSOLE_CP_LOG_DAYS", "CP_LOG_DAYS"),
        _declare_attribute("HUBCONSOLE_CP_OBJECT_SOURCE", "CP_OBJECT_SOURCE"),
    ),
    "Incidents": (
        _declare_attribute("HUBCONSOLE_INCIDENT_OPENING", "INCIDENT_OPENING"),
        _declare_attribute("HUBCONSOLE_INCIDENT_QUIET_MINUTES", "INCIDENT_QUIET_MINUTES"),
    ),
    "Alerts": (
        _declare_attribute("HUBCONSOLE_SMTP_HOST", "EMAIL_HOST"),
        _declare_attribute("HUBCONSOLE_SMTP_PORT", "EMAIL_PORT"),
        _declare_attribute("HUBCONSOLE_SMTP_USER", "EMAIL_HOST_USER"),
        _declare_secret("HUBCONSOLE_SMTP_PASSWORD"),
        _declare_attribute("HUBCONSOLE_SMTP_TLS", "EMAIL_USE_TLS"),
        _declare_attribute("HUBCONSOLE_MAIL_FROM", "DEFAULT_FROM_EMAIL"),
        _declare_attribute("HUBCONSOLE_WEBHOOK_HOSTS", "WEBHOOK_HOSTS"),
        _declare_attribute("HUBCONSOLE_WEBHOOK_NETWORKS", "WEBHOOK_NETWORKS"),
        _declare_secret("HUBCONSOLE_WEBHOOK_SECRET"),
    ),
}
