"""Hands on the live jobs that nobody works on."""

from django.db import connection

from messages_app.jobs.holding.bell import wake
from messages_app.jobs.sql import statement
from messages_app.jobs.states import LIVE_STATES


def sweep_jobs() -> None:
    """Ring for every live job that nobody works on; whoever takes it up is its next attempt."""
    for job_id in _unwatched():
        wake(job_id)


def _unwatched() -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(statement("unwatched_jobs"), {"live_states": sorted(LIVE_STATES)})
        return [row[0] for row in cursor]
