"""Jobs that restart and cancel, as an operator makes them, and what the hub and its database do meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.db.models.functions import Now

from messages_app.audit.services import Actor
from messages_app.jobs.engine import runner
from messages_app.jobs.models import Job, LedgerRow
from messages_app.jobs.selectors import JobProgress, job_progress
from messages_app.jobs.services.create import create_job
from messages_app.messages.models import Message
from tests.support.factories import make_message

# Not a user: the permissions for her jobs are not checked.
ANA = Actor(username="command line (ana)")
WHY = {"actor": ANA, "reason": "the target is back"}


def new_job(kind: str, filter: dict[str, object], *, dry_run: bool = False, **options: object) -> Job:
    return create_job(kind=kind, filter=filter, options=options, dry_run=dry_run, user=None, **WHY)


def run(kind: str, filter: dict[str, object], **options: object) -> JobProgress:
    """Make a job and work on it, as far as one attempt gets."""
    return work(new_job(kind, filter, **options))


def work(job: Job) -> JobProgress:
    runner.run_job(job_id=job.pk)
    return job_progress(job.pk)


def plan_only(job: Job) -> None:
    """Bring a job to where its chunks are planned and none is done, with no one working on it."""
    lease = runner.claim_job(job.pk)
    with runner.spark_session(runner.spark_address()) as spark:
        runner.plan_job(spark, lease, Job.objects.get(pk=job.pk))
    runner.release_job(lease, error="")


def make_failed(count: int) -> list[int]:
    """Store failed messages, and return their ids, the first one first."""
    return [make_message(state="FAILED").pk for _ in range(count)]


def done_by(job: Job) -> list[int]:
    """Return the messages that a job has done, the first one first."""
    done = LedgerRow.objects.filter(job_id=job.pk, outcome="done").order_by("msg_id")
    return list(done.values_list("msg_id", flat=True))


def hub_ends(state: str, msg_ids: list[int]) -> None:
    """Let the hub take these messages up and bring them to a state."""
    Message.objects.filter(pk__in=msg_ids).update(state=state, last_process_timestamp=Now())


@contextmanager
def refusing_rows(table: str, condition: str, values: list[object]) -> Iterator[None]:
    """Have a constraint called no_change refuse such rows when they are written."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"ALTER TABLE {table} ADD CONSTRAINT no_change CHECK (NOT ({condition})) NOT VALID", values
        )
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT no_change")


@contextmanager
def without_disk_space(table: str, *, when: str) -> Iterator[None]:
    """Have the database refuse an INSERT or UPDATE of a table as it does when its disk is full."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';"
            " END $$"
        )
        cursor.execute(f"CREATE TRIGGER refuse BEFORE {when} ON {table} EXECUTE FUNCTION refuse()")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION refuse CASCADE")
