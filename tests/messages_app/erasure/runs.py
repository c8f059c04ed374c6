"""Runs of an erasure, as the command starts them."""

import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor

from django.conf import settings
from django.db import connection

from messages_app.audit.services import Actor
from messages_app.erasure.keys import Key
from messages_app.erasure.services import Erased, erase_subject, would_erase
from tests.support.subjects import KEY
from tests.support.workers import database_of_tests

ADA = Actor(username="ada")


def run(key: str = KEY) -> Erased:
    return erase_subject(key=Key(key), actor=ADA, reason="asked by letter")


def run_beside(key: str = KEY) -> Future[Erased]:
    """Start a run on a connection of its own, while the test holds locks."""

    def work() -> Erased:
        try:
            return run(key)
        finally:
            connection.close()

    threads = ThreadPoolExecutor(1)
    running = threads.submit(work)
    threads.shutdown(wait=False)
    return running


def dry_run(key: str = KEY) -> Erased:
    return would_erase(key=Key(key), actor=ADA)


def waiting() -> int:
    """Return the number of sessions that wait for a lock."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return cursor.fetchone()[0]


def may_run() -> bool:
    """Return whether no session erases; the server ends the session of a killed process a little later."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended('hubconsole erasing', 0))")
        return cursor.fetchone()[0]


def as_process(*arguments: str, **more: object) -> subprocess.Popen:
    """Start the command like an operator does."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = os.environ | database_of_tests() | {"HUBCONSOLE_ERASED_LIST": str(settings.ERASED_LIST)}
    command = [sys.executable, "manage.py", "erase_subject", *arguments]
    return subprocess.Popen(command, env=environment, text=True, **pipes | more)
