"""`manage.py spark`: starts the Spark Connect server of one machine, for services that are started one by
one."""

import fcntl
import os
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from hubconsole.embedded import endpoint, spark
from hubconsole.processes import CannotStart, Program


class Command(BaseCommand):
    help = (
        "Becomes the Spark Connect server that `up` otherwise keeps: on a loopback port, for the services of"
        " the same HUBCONSOLE_HOME."
    )
    requires_system_checks = []

    def handle(self, **options: object) -> None:
        if settings.SPARK_REMOTE:
            raise CommandError("SPARK_REMOTE is set to another server, so this one would not be used.")
        try:
            program = _alone(settings.HUBCONSOLE_HOME)
        except CannotStart as error:
            raise CommandError(str(error)) from None
        os.chdir(program.directory or Path.cwd())
        environment = program.environment or os.environ
        os.execve(program.command[0], program.command, environment)  # noqa: S606 (no shell is wanted)


def _alone(home: Path) -> Program:
    """
    Return the server to start, if none is running. A second server would use another port, and the services
    would lose the first one.

    Raises:
        CannotStart: a server of this home is running or starting, or there is no Java.
    """
    (home / spark.NAME).mkdir(parents=True, exist_ok=True)
    lock = os.open(home / spark.NAME / "lock", os.O_WRONLY | os.O_CREAT, 0o600)
    os.set_inheritable(lock, True)  # Held until the server, which replaces this process, ends.
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise CannotStart(f"A Spark Connect server of {home} is already running.") from None
    if endpoint.answers(endpoint.last_endpoint(home, spark.NAME).port):  # The server was started by `up`.
        raise CannotStart(f"A Spark Connect server of {home} is already running.")
    return spark.prepare(home, master=settings.SPARK_MASTER)
