"""
The programs that `up` runs in addition to the embedded servers: the pages, the workers, beat and the demo.
"""

import http.client
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from celery.utils.nodenames import gethostname
from django.conf import settings
from django.db import DatabaseError
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from hubconsole.celery import app
from hubconsole.checks import Unhealthy
from hubconsole.checks.database import hear_beat
from hubconsole.devserver.processes import Program
from messages_app.core.embedded_servers import is_listening
from messages_app.core.stores import Worker, installed_stores
from messages_app.demo.cp_queue import CACHE, INDEXER, QUEUES
from messages_app.demo.hub.play import Timing

_COMMAND = (sys.executable, "-m", "hubconsole")
# Quiet, because the banner would not be a line of the log.
_CELERY = (sys.executable, "-m", "celery", "--quiet", "--app", "hubconsole.celery")
# A restarted message runs within twelve seconds instead of two minutes.
_DEMO_HUB_SPEED = 10
_DEMO_HUB_FAILING = 0.05
_JOBS_AT_ONCE = 4
WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (compared with, not listened on)


def web_program(*, bind: str, port: int, environment: Mapping[str, str] | None = None) -> Program:
    """Return gunicorn with two processes of four threads. Values in `environment` override the console's."""
    return Program(
        name="web",
        command=[
            *(sys.executable, "-m", "gunicorn", "hubconsole.wsgi", "--bind", join_address(bind, port)),
            *("--workers", "2", "--threads", "4"),
            *("--graceful-timeout", "5", "--no-control-socket"),
            *("--config", "python:hubconsole.gunicorn_config"),
        ],
        is_ready=lambda: is_serving(WILDCARDS.get(bind, bind), port),
        describe=lambda: _describe_web(WILDCARDS.get(bind, bind), port),
        environment=_name_variable("web") | dict(environment or {}),
        directory=settings.BASE_DIR,
    )


def worker_programs() -> list[Program]:
    """
    Return the workers for short tasks, for Spark and for the queues of stores, and beat.

    The Spark worker runs several jobs at the same time; otherwise one with a low rate would delay all others
    for hours.
    """
    beat = Program(
        name="beat",
        command=[*_CELERY, "beat", "--loglevel", "INFO"],
        is_ready=_is_beat_heard,
        describe=lambda: "it has not recorded a run in the database yet",
        environment=_name_variable("beat"),
        directory=settings.BASE_DIR,
    )
    return [
        _make_worker("short-worker", "short", "--concurrency", "2"),
        _make_worker("spark-worker", "spark", "--concurrency", str(_JOBS_AT_ONCE)),
        *(_worker_of_store(worker) for store in installed_stores() for worker in store.workers),
        beat,
    ]


def demo_program(*, messages: int) -> Program:
    """Return the program that loads the demo data while the pages are already served."""
    return Program(
        name="demo",
        command=[*_COMMAND, "demo", "--messages", str(messages)],
        directory=settings.BASE_DIR,
        once=True,
        speaks=True,
    )


def demo_hub_program(*, rate: float) -> Program:
    """Return the demo's hub, which is idle until the demo data is loaded."""
    return Program(
        name="demo-hub",
        command=[
            *(*_COMMAND, "demo_hub", "--gently", "--speed", str(_DEMO_HUB_SPEED)),
            *("--rate", str(rate), "--failing", str(_DEMO_HUB_FAILING)),
        ],
        environment=_name_variable("demo-hub"),
        directory=settings.BASE_DIR,
    )


def demo_hub_times() -> dict[str, str]:
    """Return the environment from which pages predict the demo hub's next attempts."""
    return Timing.make_gentle(_DEMO_HUB_SPEED).as_settings()


def demo_service_programs(*, bind: str, port: int, token_file: Path) -> list[Program]:
    """Return the services that pull from the demo's CP queue: an indexer and a rendition cache."""
    url = f"http://{join_address(WILDCARDS.get(bind, bind), port)}"
    return [
        _make_service("demo-indexer", INDEXER, "index_object", url, token_file),
        _make_service("demo-renditions", CACHE, "render_object", url, token_file),
    ]


def join_address(host: str, port: int) -> str:
    """Return host:port, with an IPv6 host in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_serving(host: str, port: int) -> bool:
    """Return whether an HTTP server answers at the address, with any status."""
    # The checks behind the answer take two seconds, and longer on a busy machine.
    connection = http.client.HTTPConnection(host, port, timeout=10)
    try:
        connection.request("GET", "/health/", headers={"Host": "localhost"})
        return connection.getresponse().status > 0
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _describe_web(host: str, port: int) -> str:
    if is_listening(port, host):
        return "it listens and is loading the pages"
    return "it is starting and does not listen yet"


def _make_service(name: str, service: str, work: str, url: str, token_file: Path) -> Program:
    return Program(
        name=name,
        command=[
            *(sys.executable, "-m", "messages_app.cp_queue.worker", "--service", service),
            *("--queues", QUEUES[service], "--callable", f"messages_app.demo.cp_queue_work:{work}"),
            *("--url", url, "--token-file", str(token_file)),
        ],
        directory=settings.BASE_DIR,
    )


# Nothing here uses gossip and mingle, the messages between workers.
_WORKER = ("--without-gossip", "--without-mingle")


def _worker_of_store(worker: Worker) -> Program:
    most, least = getattr(settings, worker.most), getattr(settings, worker.least)
    return _make_worker(worker.name, worker.queue, "--autoscale", f"{most},{least}")


def _make_worker(name: str, queue: str, *processes: str) -> Program:
    node = f"{name}@{gethostname()}"
    pings = _Pings(node)
    return Program(
        name=name,
        command=[
            *(*_CELERY, "worker", "--loglevel", "INFO", "--hostname", node),
            *("--queues", queue, *processes, *_WORKER),
        ],
        is_ready=pings.is_answered,
        describe=lambda: "it has not answered a ping through the broker yet",
        environment=_name_variable(name),
        directory=settings.BASE_DIR,
    )


def _is_beat_heard() -> bool:
    try:
        hear_beat()
    except (Unhealthy, DatabaseError):
        return False
    return True


class _Pings:
    """Pings of one worker, which wait longer each time: on a busy machine, an answer takes seconds."""

    MAX_SECONDS = 4.0  # seconds

    def __init__(self, node: str) -> None:
        self._node = node
        self._timeout = 0.5

    def is_answered(self) -> bool:
        try:
            answer = app.control.ping(destination=[self._node], timeout=self._timeout, limit=1)
        except (OSError, OperationalError, RedisError):
            return False  # The broker is being restarted.
        self._timeout = min(self.MAX_SECONDS, self._timeout * 1.1)
        return bool(answer)


def _name_variable(name: str) -> dict[str, str]:
    return os.environ | {"HUBCONSOLE_PROCESS": name}
