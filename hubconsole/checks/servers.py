"""Checks of everything except the database: broker, workers, Spark, Java and the disk of the home."""

import secrets
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import redis
from django.conf import settings
from kombu.exceptions import OperationalError
from psycopg import DatabaseError
from redis.exceptions import RedisError

from hubconsole.celery import app
from hubconsole.checks import Unhealthy
from hubconsole.checks.hardening import check_hardening
from hubconsole.spark_server.java import find_java_home
from messages_app.access.providers.client import ProviderAway, check_provider
from messages_app.audit.stream.sending import read_stream_state
from messages_app.core.clock import database_clock
from messages_app.core.embedded_servers import CannotStart, is_listening
from messages_app.core.formatting import count_of
from messages_app.core.stores import installed_stores
from messages_app.jobs.connections import spark_address
from messages_app.jobs.engine.warmth import Warmth
from messages_app.jobs.exports import export_storage
from messages_app.messages.parquet_archive.place import archive_storage
from spark_tasks.storage.addresses import Storage
from spark_tasks.storage.faults import StillKept

MIN_FREE_BYTES = 500_000_000
_MAX_STREAM_SILENCE = timedelta(minutes=10)
_WARMING = "Spark is warming up; until then jobs start more slowly"
_NO_JOBS = "Until then bulk jobs do not run."


def check_broker() -> None:
    if settings.CELERY_BROKER_URL.startswith(("redis:", "rediss:")):
        with redis.Redis.from_url(
            settings.CELERY_BROKER_URL, socket_timeout=1, socket_connect_timeout=1
        ) as client:
            client.ping()
        return
    with app.connection_for_read(connect_timeout=1) as broker:
        broker.ensure_connection(max_retries=1, timeout=1)


def queues_served() -> list[str]:
    """Return the queues that must have a worker."""
    return ["short", "spark", *(worker.queue for store in installed_stores() for worker in store.workers)]


def check_workers() -> None:
    """Ask the workers which queues they serve. Returns as soon as every queue has a worker."""
    queues = queues_served()
    queues_by_worker = app.control.inspect(timeout=1.0, limit=len(queues)).active_queues() or {}
    served = {queue["name"] for active in queues_by_worker.values() for queue in active}
    missing = [queue for queue in queues if queue not in served]
    if missing:
        commands = " and ".join(f"`celery -A hubconsole worker -Q {queue}`" for queue in missing)
        why = f"no worker of {' and '.join(missing)} answered within a second"
        raise Unhealthy(why, f"Start {commands}; `up` runs them. On a very busy machine, check again.")


def check_spark() -> str | None:
    """Raise Unhealthy if the server does not answer; return a note while a worker warms it up."""
    _reach_spark()
    return _WARMING if _is_warming_up() else None


def _reach_spark() -> None:
    remote = urlsplit(spark_address())
    if is_listening(remote.port or 15002, remote.hostname or "localhost"):
        return
    embedded_one = (
        f"by `{settings.START_COMMAND}` (log/spark.log) or `{settings.COMMAND_LINE} spark`,"
        " or name one with SPARK_REMOTE"
    )
    where = "at SPARK_REMOTE" if settings.SPARK_REMOTE else embedded_one
    do = f"Start it {where}. Until then bulk jobs wait. Everything else works."
    raise Unhealthy("the Spark Connect server does not answer", do)


def _is_warming_up() -> bool:
    """Ask the workers. A worker without a session, or of an older version, does not answer."""
    try:
        answers = (
            app.control.broadcast("spark_warmth", reply=True, timeout=1.0, limit=len(queues_served())) or []
        )
    except (OSError, OperationalError, RedisError):
        return False  # The broker's own check reports its faults.
    return any(answer in (Warmth.STARTING, Warmth.WARMING) for each in answers for answer in each.values())


def check_spark_session() -> str | None:
    """Check that a job could open a session: with the token, and with Spark's own errors."""
    note = check_spark()
    # Imported here because it loads Spark's client, which no page needs.
    from pyspark.errors.exceptions.connect import SparkConnectGrpcException

    from spark_tasks.session import AccessDenied, check_access

    where = "SPARK_REMOTE" if settings.SPARK_REMOTE else "HUBCONSOLE_HOME"
    try:
        check_access(spark_address())
    except AccessDenied:
        do = f"Set the token of the server in {where}. {_NO_JOBS}"
        raise Unhealthy("the Spark Connect server rejects the console", do) from None
    except SparkConnectGrpcException:
        do = f"Check the port in {where}, and that `use_ssl` matches the server. {_NO_JOBS}"
        raise Unhealthy(
            "the answer is not from a Spark Connect server, or the server requires TLS", do
        ) from None
    return note


def check_java() -> None:
    """Check that an embedded Spark has a Java. A running Spark has already found its own."""
    if settings.SPARK_REMOTE:
        return
    try:
        _find_java_once(settings.HUBCONSOLE_HOME)
    except CannotStart as error:
        raise Unhealthy("no installed Java is new enough for Spark", str(error)) from None


@cache
def _find_java_once(home: Path) -> Path:
    """Search for a Java, which starts each candidate. Only a failed search is repeated at the next check."""
    return find_java_home(home)


def check_running_java() -> None:
    """Check for a Java, without starting one if a running Spark shows that there is one."""
    try:
        _reach_spark()
    except Unhealthy:
        check_java()


def check_disk() -> None:
    for name, path in _find_places().items():
        free = shutil.disk_usage(path).free
        if free < MIN_FREE_BYTES:
            why = f"the disk of {name} has {free // 1_000_000} MB left"
            raise Unhealthy(
                why, "Free disk space: delete old exports and logs, or move the archive to another disk."
            )


def _find_places() -> Mapping[str, Path]:
    archive = settings.HUBCONSOLE_ARCHIVE_URI
    places = {"HUBCONSOLE_HOME": settings.HUBCONSOLE_HOME}
    if "://" not in archive:
        places["HUBCONSOLE_ARCHIVE_URI"] = Path(archive)
    return {name: path for name, path in places.items() if path.exists()}


def check_archive() -> str | None:
    return _check_storage(archive_storage(), name="archive", setting="HUBCONSOLE_ARCHIVE_URI")


def check_exports() -> str | None:
    return _check_storage(export_storage(), name="exports", setting="HUBCONSOLE_EXPORT_URI")


def _check_storage(place: Storage, *, name: str, setting: str) -> str | None:
    """Write a file to a storage, read it and remove it, without Spark."""
    path = f"reach-{secrets.token_hex(8)}"
    do = f"Check {setting}, its credentials and rights (docs/howto/object_store.md)."
    file = place.find_local(path)
    if file is None or file.parent.exists():
        return _try_to_write(place, path, name=name, do=do)
    try:
        return _try_to_write(place, path, name=name, do=do)
    finally:
        # The first job makes the folder, as a user that may not be that of this command.
        with suppress(OSError):
            file.parent.rmdir()


def _try_to_write(place: Storage, path: str, *, name: str, do: str) -> str | None:
    body = secrets.token_bytes(16)
    try:
        with place.open_to_write(path) as file:
            file.write(body)
        with place.open_to_read(path) as file:
            is_same = file.read() == body
        place.remove(path)
    except StillKept:
        return f"the storage keeps each file for a time, so erased messages stay in the {name} until then"
    except (OSError, DatabaseError) as error:
        reason = str(error).rstrip(".")
        raise Unhealthy(f"the storage of the {name} cannot be used: {reason}", do) from error
    if not is_same:
        raise Unhealthy(f"{place.uri} does not return what was written to it", do)
    return None


def check_provider_of_users() -> str | None:
    """Read what each identity provider says of itself."""
    for provider in settings.OIDC_PROVIDERS.values():
        try:
            check_provider(provider)
        except ProviderAway as error:
            raise Unhealthy(str(error).rstrip("."), _PROVIDER) from error
    return None if settings.OIDC_PROVIDERS else "none is set up; users have local accounts"


def check_stream() -> str | None:
    """Raise Unhealthy if entries of the audit log have waited for their receiver for ten minutes."""
    if settings.AUDIT_STREAM is None:
        return "the audit log is not streamed"
    state, waiting = read_stream_state()
    if state is None or not state.failing_since:
        return f"{count_of(waiting, 'seal')} to be sent" if waiting else None
    if database_clock() - state.failing_since > _MAX_STREAM_SILENCE:
        raise Unhealthy(state.error.rstrip("."), _STREAM)
    return state.error


_STREAM = "Check HUBCONSOLE_AUDIT_STREAM (docs/howto/stream_the_audit_log.md). Entries wait in the database."
_PROVIDER = "Check HUBCONSOLE_OIDC_ISSUER (docs/howto/company_accounts.md). Local accounts can log in."
_DO = "Start it, or set CELERY_BROKER_URL. Until then jobs are accepted and wait."
UNREACHABLE = {"broker": _DO, "workers": "Fix the broker first: workers are checked through it."}
# The checks of /health/; and those of `doctor`, which has more time.
PARTS: Mapping[str, Callable[[], str | None]] = {
    "broker": check_broker,
    "workers": check_workers,
    "spark": check_spark,
    "java": check_running_java,
    "disk": check_disk,
}
MORE_PARTS = {
    **PARTS,
    "spark": check_spark_session,
    "archive": check_archive,
    "exports": check_exports,
    "provider": check_provider_of_users,
    "stream": check_stream,
    "hardening": check_hardening,
}
