"""`manage.py spark`: starts the Spark Connect server of one machine, for services that are started one by
one."""

import fcntl
import os
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from hubconsole.spark_server.server import SparkServer, prepare_server
from messages_app.core.embedded_servers import SPARK, CannotStart, is_listening, last_endpoint


class Command(BaseCommand):
    help = (
        "Become the Spark Connect server that `up` otherwise keeps: on a loopback port, for the services of"
        " the same HUBCONSOLE_HOME."
    )
    requires_system_checks = []

    def handle(self, **options: object) -> None:
        if settings.SPARK_REMOTE:
            raise CommandError("SPARK_REMOTE is set to another server, so this one would not be used.")
        try:
            server = _prepare_alone(settings.HUBCONSOLE_HOME)
        except CannotStart as error:
            raise CommandError(str(error)) from None
        os.chdir(server.directory)
        os.execve(server.command[0], server.command, server.environment)  # noqa: S606 (no shell is wanted)


def _prepare_alone(home: Path) -> SparkServer:
    """
    Return the server to start, if none is running. A second server would use another port, and the services
    would lose the first one.

    Raises:
        CannotStart: a server of this home is running or starting, or there is no Java.
    """
    (home / SPARK).mkdir(parents=True, exist_ok=True)
    lock = os.open(home / SPARK / "lock", os.O_WRONLY | os.O_CREAT, 0o600)
    os.set_inheritable(lock, True)  # Held until the server, which replaces this process, ends.
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise CannotStart(f"A Spark Connect server of {home} is already running.") from None
    if is_listening(last_endpoint(home, SPARK).port):  # The server was started by `up`.
        raise CannotStart(f"A Spark Connect server of {home} is already running.")
    return prepare_server(home, master=settings.SPARK_MASTER)
