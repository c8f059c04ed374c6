"""What /health/ tells: whether the parts that the console needs answer, and nothing that is secret."""

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from threading import Lock
from time import monotonic
from urllib.parse import urlsplit

import redis
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache

from hubconsole import embedded
from hubconsole.celery import app
from hubconsole.embedded import endpoint

DEADLINE = 1.8  # seconds for all parts together
FRESH = 2.0  # seconds
QUEUES = ("short", "spark", "store")

logger = logging.getLogger(__name__)
_lock = Lock()
_kept: dict[str, tuple[float, dict]] = {}


class Unhealthy(Exception):
    """A part does not do its work; the message says in words without secrets what is wrong."""


def check() -> dict:
    """Ask every part at once.

    Returns:
        {"ok": bool, "database": part, "broker": part, "spark": part, "workers": part}, where a part is
        {"ok": True} or {"ok": False, "why": str}. Takes two seconds at most.
    """
    parts = {"database": _database, "broker": _broker, "spark": _spark, "workers": _workers}
    pool = ThreadPoolExecutor(len(parts), thread_name_prefix="health")
    deadline = monotonic() + DEADLINE
    asked = {name: pool.submit(part) for name, part in parts.items()}
    found = {name: _outcome(name, future, deadline) for name, future in asked.items()}
    pool.shutdown(wait=False)  # a part that hangs runs into its own timeout later
    return {"ok": all(part["ok"] for part in found.values()), **found}


@never_cache
def view(request: HttpRequest) -> JsonResponse:
    """Answer /health/: 200 when every part works, else 503. Asks for no login and tells no secret."""
    found = _latest()
    return JsonResponse(found, status=200 if found["ok"] else 503)


def _latest() -> dict:
    """Return an answer of the last two seconds, so that asking often costs the parts nothing."""
    with _lock:
        at, found = _kept.get("answer", (0.0, {}))
        if not found or monotonic() - at > FRESH:
            found = check()
            _kept["answer"] = (monotonic(), found)
        return found


def _outcome(name: str, future: Future, deadline: float) -> dict:
    try:
        future.result(timeout=max(0.0, deadline - monotonic()))
    except TooLate:
        return {"ok": False, "why": "does not answer in time"}
    except Unhealthy as error:
        return {"ok": False, "why": str(error)}
    except Exception:  # whatever a driver raises: its words may hold addresses, so they go to the log
        logger.warning("health: %s", name, exc_info=True)
        return {"ok": False, "why": "cannot be reached"}
    return {"ok": True}


def _database() -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        connection.close()  # this thread's own


def _broker() -> None:
    if settings.CELERY_BROKER_URL.startswith(("redis:", "rediss:")):
        with redis.Redis.from_url(
            settings.CELERY_BROKER_URL, socket_timeout=1, socket_connect_timeout=1
        ) as client:
            client.ping()
        return
    with app.connection_for_read(connect_timeout=1) as broker:
        broker.ensure_connection(max_retries=1, timeout=1)


def _spark() -> None:
    remote = urlsplit(embedded.spark_remote(settings.HUBCONSOLE_HOME))
    if not endpoint.answers(remote.port or 15002, remote.hostname or "localhost"):
        raise Unhealthy("the Spark Connect server does not answer")


def _workers() -> None:
    """Ask the workers which queues they serve; two answers come at once, without waiting for more."""
    found = app.control.inspect(timeout=1.0, limit=len(QUEUES)).active_queues() or {}
    served = {queue["name"] for queues in found.values() for queue in queues}
    missing = [queue for queue in QUEUES if queue not in served]
    if missing:
        raise Unhealthy(f"no worker serves {' and '.join(missing)}")
