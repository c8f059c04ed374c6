"""Checks that `manage.py check --deploy` runs in addition to Django's."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Info, Tags, Warning, register

from hubconsole.checks.hardening import iterate_dangers, list_switched_off


@register(Tags.security, deploy=True)
def check_deployment(app_configs: object, **options: object) -> list[CheckMessage]:
    return [*_check_web(), *_check_files(), *_check_spark()]


def _check_web() -> Iterator[CheckMessage]:
    if settings.IS_LOOPBACK:
        return
    for danger in iterate_dangers():
        text = f"{danger.why[0].upper()}{danger.why[1:]}."
        yield Error(text, hint=danger.do, id=f"hubconsole.{danger.code}")
    if not settings.TRUSTED_PROXIES:
        text = (
            "HUBCONSOLE_TRUSTED_PROXIES is empty, so all callers share the address and the limits of the "
            "proxy."
        )
        yield Info(text, hint="Set it to the address of the proxy, such as 127.0.0.1.", id="hubconsole.I001")
    for setting in list_switched_off():
        name = setting.partition("=")[0]
        text = f"{setting} turns a protection of production off."
        yield Info(text, hint=f"Remove {name}, or accept the risk.", id="hubconsole.I002")


def _check_files() -> Iterator[CheckMessage]:
    for name, path in _folders_to_check().items():
        if path.is_dir() and path.stat().st_mode & 0o007:
            text = (
                f"Every user of the machine can access {name} ({path}, mode {path.stat().st_mode & 0o777:o})."
            )
            yield Warning(text, hint=f"chmod 700 {path}", id="hubconsole.W002")


def _folders_to_check() -> dict[str, Path]:
    """Return the folders to check. A home within the code's folder is left out because `up` protects it."""
    places = {"HUBCONSOLE_HOME": settings.HUBCONSOLE_HOME}
    if "://" not in settings.HUBCONSOLE_ARCHIVE_URI:
        places["HUBCONSOLE_ARCHIVE_URI"] = Path(settings.HUBCONSOLE_ARCHIVE_URI)
    return {name: path for name, path in places.items() if not path.is_relative_to(settings.BASE_DIR)}


def _check_spark() -> Iterator[CheckMessage]:
    if settings.SPARK_REMOTE and ";token=" not in urlsplit(settings.SPARK_REMOTE).path.replace("/;", ";"):
        text = "SPARK_REMOTE has no token, so anyone who reaches that server can run any code there."
        hint = (
            "Start the server with SPARK_CONNECT_AUTHENTICATE_TOKEN and spark.authenticate, and set the "
            "token."
        )
        yield Warning(text, hint=hint, id="hubconsole.W003")
