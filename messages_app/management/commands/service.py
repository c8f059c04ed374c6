"""`hubconsole service NAME`: becomes one program of an installation, for systemd or a container."""

import argparse
import os
import sys

from django.core.management.base import BaseCommand

_WORKER = ("worker", "--loglevel", "INFO", "--without-gossip", "--without-mingle")
_WEB = (
    *("gunicorn", "hubconsole.wsgi", "--workers", "4", "--threads", "4"),
    *("--no-control-socket", "--config", "python:hubconsole.gunicorn_config"),
)
_CELERY = ("celery", "--quiet", "--app", "hubconsole.celery")
SERVICES = {
    "web": _WEB,
    "short-worker": (*_CELERY, *_WORKER, "--queues", "short", "--hostname", "short@%h", "--concurrency", "2"),
    "spark-worker": (*_CELERY, *_WORKER, "--queues", "spark", "--hostname", "spark@%h", "--concurrency", "4"),
    "store-worker": (
        *_CELERY,
        *_WORKER,
        "--queues",
        "store",
        "--hostname",
        "store@%h",
        "--autoscale",
        "16,1",
    ),
    "beat": (*_CELERY, "beat", "--loglevel", "INFO"),
    "spark": ("hubconsole", "spark"),
}


class Command(BaseCommand):
    help = (
        "Become one program of an installation: web is gunicorn on 127.0.0.1:8000, the workers and beat are"
        " Celery, and spark is the Spark Connect server of one machine. Options after -- are passed to the"
        " program and override those of the console: hubconsole service web -- --workers 8."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("name", choices=SERVICES, help="the program")
        parser.add_argument("options", nargs="*", help="options of gunicorn or Celery, after --")

    def handle(self, *, name: str, **options: object) -> None:
        words = options["options"]
        command = [sys.executable, "-m", *SERVICES[name], *(words if isinstance(words, list) else ())]
        environment = os.environ | {"HUBCONSOLE_PROCESS": name}
        os.execve(sys.executable, command, environment)  # noqa: S606 (no shell is wanted)
