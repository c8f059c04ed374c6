"""
Looks every few seconds at the jobs that wait for something, or may have to stop. No Spark, no worker held.

Two watchers at once do no harm: each change is one conditional statement.
"""

import logging
from collections.abc import Callable, Iterator

from django.db import connection

from messages_app.jobs.guarding import canary, failures, maker, room, second_person
from messages_app.jobs.guarding.stopping import end_stopping
from messages_app.jobs.models import Job
from messages_app.jobs.sql import statement
from messages_app.jobs.states import JobState, PauseReason

logger = logging.getLogger(__name__)

_WAITING_FOR_CANARY = (PauseReason.CANARY, PauseReason.CANARY_UNDECIDED)


def watch_jobs() -> None:
    """Look at each such job once; what goes wrong with one is said in the log, and keeps no other waiting."""
    for look in _looks():
        try:
            look()
        except Exception:
            logger.exception("The watcher of jobs could not finish a look.")
            connection.close_if_unusable_or_obsolete()


def _looks() -> Iterator[Callable[[], None]]:
    for job in Job.objects.filter(state=JobState.PAUSED, paused_for__in=_WAITING_FOR_CANARY):
        yield lambda job=job: canary.look_at(job)
    for job in Job.objects.filter(state=JobState.RUNNING):
        yield lambda job=job: maker.look_at(job)
        if job.options.get("stop_at_failure_rate") is not None:
            yield lambda job=job: failures.look_at(job)
    yield room.try_again
    yield second_person.give_up
    for job_id in _left_to_stop():
        yield lambda job_id=job_id: end_stopping(job_id)


def _left_to_stop() -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(statement("unwatched_jobs"), {"live_states": [JobState.STOPPING]})
        return [row[0] for row in cursor]
