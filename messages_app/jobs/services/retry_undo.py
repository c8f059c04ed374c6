"""
Jobs that follow another job: undo its changes, or retry its failed messages.

Source: docs/contributing/spec/promises.md, I-29 to I-31; docs/contributing/spec/design.md, "Bulk work".
"""

import datetime as dt
from dataclasses import dataclass

from django.conf import settings
from django.db import IntegrityError, transaction

from messages_app.access.actors import Caller
from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.jobs.errors import AlreadyRunning, JobConflict, NotAllowed
from messages_app.jobs.kinds.registry import kind_specs, spec_of
from messages_app.jobs.kinds.spec import JobRequest
from messages_app.jobs.leases import enqueue_job
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import may_make, shown_options
from messages_app.jobs.selectors import progress_of
from messages_app.jobs.services.control import read_job
from messages_app.jobs.services.create import check_bounds, describe_overlap, insert_job
from messages_app.shared.job_records import JobOptions
from messages_app.shared.job_states import ACTIVE_STATES, FINAL_STATES

statements = Statements("messages_app.jobs")


@dataclass(frozen=True, kw_only=True)
class Deadline:
    """The time until which a job can be undone, and whether that time is over, by the database's clock."""

    until: dt.datetime
    is_over: bool


def undo_deadline(job: Job) -> Deadline | None:
    """Return the deadline for undoing a job; None if its kind cannot be undone, or the job has not ended."""
    if _undo_refusal(job):
        return None
    values = {"job_id": job.pk, "hours": settings.JOB_UNDO_HOURS}
    until, is_over = statements.only_row("undo_deadline", values)
    return Deadline(until=until, is_over=is_over)


def undo_job(*, job_id: int, actor: audit.Actor, reason: str) -> Job:
    """
    Undo the changes of a job. Return the new job that undoes them.

    Its set is the messages that the other job has done. Messages that have changed again or were deleted are
    skipped, with the reason in the ledger.

    Raises:
        JobNotFound: no job has this id.
        JobConflict: it cannot be undone, has not ended, did nothing, or ended too long ago.
        AlreadyRunning: another job is undoing it.
    """
    origin = read_job(job_id)
    if refusal := _undo_refusal(origin) or _refusal_of_late_undo(origin) or _nothing_done(origin):
        raise JobConflict(refusal, current_state=origin.state)
    kind = spec_of(origin.kind).undone_by
    return _store_follower(origin, kind=kind, options={}, actor=actor, reason=reason, undo_of=origin.pk)


def _undo_refusal(origin: Job) -> str:
    """Return why a job can never be undone, or not yet; empty if it can."""
    if origin.undo_of is not None:
        return f"Job {origin.pk} is an undo of job {origin.undo_of}. An undo cannot be undone."
    if not spec_of(origin.kind).undone_by:
        undone = " and ".join(spec.kind for spec in kind_specs.values() if spec.undone_by)
        return f"Job {origin.pk} is a {origin.kind} job; only {undone} jobs can be undone."
    if origin.dry_run:
        return f"Job {origin.pk} was a preview and changed nothing."
    if origin.state not in FINAL_STATES:
        return f"Job {origin.pk} is {origin.state}; it can be undone once it has ended."
    return ""


def _refusal_of_late_undo(origin: Job) -> str:
    deadline = undo_deadline(origin)
    if deadline is None or not deadline.is_over:
        return ""
    return (
        f"Job {origin.pk} could be undone until {deadline.until:%Y-%m-%d %H:%M:%S %Z},"
        f" {settings.JOB_UNDO_HOURS} hours after it ended."
    )


def _nothing_done(origin: Job) -> str:
    return "" if progress_of(origin).done else f"Job {origin.pk} made no changes that can be undone."


def _undone_by_another(origin_id: int) -> AlreadyRunning:
    active = Job.objects.filter(undo_of=origin_id, state__in=ACTIVE_STATES)
    job_id = active.values_list("pk", flat=True).first() or 0
    return AlreadyRunning(job_id, f"Job {job_id} is already undoing job {origin_id}.")


def retry_failed(*, job_id: int, actor: audit.Actor, reason: str, user: Caller | None = None) -> Job:
    """
    Retry the failed messages of a job. Return the new job that retries them.

    Its set is these messages with their current states. An archive job retries messages that are final and
    old enough now, with their families; a restore job retries messages that are archived now, with their
    families.

    Args:
        user: the user whose permissions decide; None: the console itself, without limits.

    Raises:
        JobNotFound: no job has this id.
        JobConflict: it has not ended, its kind cannot be retried, or nothing failed in it.
        AlreadyRunning: another job undoes the same job, or another archive job is not finished yet.
        NotAllowed: `user` may not create such a job.
    """
    origin = read_job(job_id)
    if user is not None and not may_make(user, origin.kind, origin.options):
        raise NotAllowed("You do not have permission for this kind of job.")
    if refusal := _retry_refusal(origin):
        raise JobConflict(refusal, current_state=origin.state)
    return _store_follower(
        origin,
        kind=origin.kind,
        options=origin.options,
        actor=actor,
        reason=reason,
        undo_of=origin.undo_of,
        retry_of=origin.pk,
    )


def _retry_refusal(origin: Job) -> str:
    if not spec_of(origin.kind).is_retryable:
        return (
            f"Job {origin.pk} is of kind {origin.kind}; start a new job instead of retrying the failed "
            "messages."
        )
    if origin.state not in FINAL_STATES:
        return f"Job {origin.pk} is {origin.state}; failed messages can be retried once it has ended."
    if not progress_of(origin).failed:
        return f"No messages failed in job {origin.pk}."
    return ""


def _store_follower(
    origin: Job,
    *,
    kind: str,
    options: JobOptions,
    actor: audit.Actor,
    reason: str,
    undo_of: int | None = None,
    retry_of: int | None = None,
) -> Job:
    """Store the job, with one audit entry that names both jobs, and send its task."""
    is_retry = retry_of is not None
    request = JobRequest(spec=spec_of(kind), filter=origin.filter if is_retry else {}, options=options)
    details = {"undo_of": undo_of, "retry_of": retry_of, "options": shown_options(kind, options, None)}
    try:
        with transaction.atomic():
            if is_retry:
                check_bounds(kind=kind, user_id=actor.user_id, dry_run=False)
            job = insert_job(request, reason=reason, actor=actor, undo_of=undo_of, retry_of=retry_of)
            audit.record_entry(
                actor=actor,
                action="retry_failed" if is_retry else "undo_job",
                job_id=job.pk,
                reason=reason,
                details=details,
            )
    except IntegrityError as error:
        raise (describe_overlap(kind) if undo_of is None else _undone_by_another(undo_of)) from error
    transaction.on_commit(lambda: enqueue_job(job.pk))
    return job
