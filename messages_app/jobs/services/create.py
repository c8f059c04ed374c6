"""
Accept new jobs: an insert with its audit entry. Workers do the rest.

Source: docs/contributing/spec/promises.md, I-27, I-31.
"""

from dataclasses import replace

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q

from messages_app.access.actors import Caller
from messages_app.audit import services as audit
from messages_app.core.problems import Problem
from messages_app.core.statements import Statements
from messages_app.core.transaction_locks import TransactionLock
from messages_app.jobs.errors import AlreadyRunning
from messages_app.jobs.exports import check_export_space
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.kinds.spec import JobRequest
from messages_app.jobs.leases import enqueue_job
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import masked_filter, shown_options
from messages_app.jobs.preview.quick import first_estimate
from messages_app.jobs.services import bulk_guard
from messages_app.jobs.stores import store_of
from messages_app.jobs.validation import CONFIRMED, check_job
from messages_app.shared.job_records import Given, JobReport
from messages_app.shared.job_states import ACTIVE_STATES, JobState

statements = Statements("messages_app.jobs")

_UNDER_WAY = Q(state__in=sorted(ACTIVE_STATES)) & ~Q(dry_run=True, state=JobState.PLANNED)


def create_job(
    *,
    kind: str,
    filter: Given,
    options: Given,
    dry_run: bool,
    reason: str,
    actor: audit.Actor,
    user: Caller | None,
    confirmed: int | None = None,
    is_scheduled: bool = False,
) -> Job:
    """
    Accept a job. Its set is defined now, by the database's clock and the last id.

    Args:
        filter: values by the filter names of the store's list; a list for several values.
        user: the user whose permissions decide about filters and options; None: the command line.
        confirmed: the number of messages that its creator agreed to change. If the set is more than a tenth
            larger, the job waits until the actual number is confirmed. None: no confirmation.
        is_scheduled: a schedule creates it, so it does not wait for a second person.

    Raises:
        InvalidJob: a parameter is wrong; `errors` name each.
        AlreadyRunning: an archive job is not finished yet.
        Problem: `user` has too many active jobs, or exports take too much disk space.
    """
    request = check_job(
        kind=kind, filter=filter, options=options, reason=reason, user=user, confirmed=confirmed
    )
    report = first_estimate(replace(request, user=None)) if dry_run else JobReport()
    details: dict[str, object] = {
        "options": shown_options(request.spec.kind, request.options, None),
        "filter": masked_filter(request.filter),
    }
    if confirmed is not None:
        report[CONFIRMED] = details[CONFIRMED] = confirmed
    try:
        with transaction.atomic():
            if user is not None and not is_scheduled:
                check_bounds(kind=kind, user_id=user.pk, dry_run=dry_run)
            job = insert_job(
                request, dry_run=dry_run, reason=reason, actor=actor, report=report, is_scheduled=is_scheduled
            )
            audit.record_entry(
                actor=actor,
                action=f"{kind}.preview" if dry_run else kind,
                job_id=job.pk,
                reason=reason,
                details=details,
            )
    except IntegrityError as error:
        raise describe_overlap(kind) from error
    transaction.on_commit(lambda: enqueue_job(job.pk))
    return job


def check_bounds(*, kind: str, user_id: int | None, dry_run: bool) -> None:
    """
    Check the limits for a new job. Call this in the transaction that stores the job.

    Raises:
        Problem: 429 too_many_jobs, 409 export_space, 503 storage_away.
    """
    # Without the lock, two simultaneous calls could both pass the limit.
    TransactionLock(f"jobs of {user_id}").acquire()
    under_way = Job.objects.filter(_UNDER_WAY, creator_id=user_id)[: settings.JOBS_PER_USER].count()
    if under_way >= settings.JOBS_PER_USER:
        text = f"You already have {under_way} active jobs, the maximum. Wait for one to finish, or stop one."
        raise Problem(429, "too_many_jobs", text, headers={"Retry-After": "60"})
    if spec_of(kind).makes_file and not dry_run:
        check_export_space()


def insert_job(
    request: JobRequest,
    *,
    dry_run: bool = False,
    reason: str,
    actor: audit.Actor,
    undo_of: int | None = None,
    retry_of: int | None = None,
    report: JobReport | None = None,
    is_scheduled: bool = False,
) -> Job:
    """Store a job with the time and the last id that define its set."""
    kind, options = request.spec.kind, request.options
    watermark, cutoff = statements.only_row(
        "freeze_point", {"older_than_months": options.get("older_than_months")}
    )
    rule = JobReport() if dry_run else bulk_guard.kept_in_report(kind, is_scheduled=is_scheduled)
    return Job.objects.create(
        kind=kind,
        filter=request.filter,
        options=options,
        rate=options.get("rate"),
        dry_run=dry_run,
        reason=reason,
        watermark=watermark,
        cutoff=cutoff,
        last_msg_id=store_of(kind).last_id(),
        created_by=actor.username,
        creator_id=actor.user_id,
        undo_of=undo_of,
        retry_of=retry_of,
        report=(report or JobReport()) | rule,
    )


def describe_overlap(kind: str) -> AlreadyRunning:
    """Return the error that names the active job, for a kind that allows only one at a time."""
    running = Job.objects.filter(kind=kind, state__in=ACTIVE_STATES, dry_run=False).values_list(
        "pk", flat=True
    )
    return AlreadyRunning(running.first() or 0)
