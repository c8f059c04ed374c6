"""
The password or second person that very large jobs require in addition to a permission, and the confirmation
of a set that is larger than its creator expected.

A job whose frozen set needs a decision waits. Other jobs skip its messages meanwhile, so the wait for a
second person has a time limit.

Source: docs/contributing/spec/promises.md, S-29.
"""

import sys
from typing import Final

from django.conf import settings
from django.db import OperationalError

from messages_app.core.filters.address import as_query
from messages_app.core.statements import Statements
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.kinds.spec import JobRequest
from messages_app.jobs.leases import Lease, end_stopping, pause_job, stop_by_itself
from messages_app.jobs.models import Job
from messages_app.jobs.preview.quick import preview_job
from messages_app.jobs.selectors import JobProgress, progress_of
from messages_app.jobs.stores import store_of
from messages_app.jobs.validation import CONFIRMED, TO_DO, is_confirmed
from messages_app.shared.job_records import JobReport
from messages_app.shared.job_states import BulkGuard, Follower, JobState, PauseReason

statements = Statements("messages_app.jobs")

_LOOK_MS = 2000
# In a job's report: the number of messages from which it needs approval, as configured when it was accepted.
SECOND_PERSON_FROM: Final = "second_person_from"


def is_guarded_by_password(kind: str) -> bool:
    """Whether large jobs of this kind require the password of the user who starts them."""
    return settings.BULK_GUARD == BulkGuard.PASSWORD and spec_of(kind).is_guarded


def is_password_required(kind: str, messages: int) -> bool:
    """Whether a job that changes this many messages requires the password of the user who starts it."""
    return is_guarded_by_password(kind) and messages >= settings.BULK_GUARD_FROM


def is_password_required_for_follower(progress: JobProgress, follower: Follower) -> bool:
    """Whether the job that undoes or retries this one requires the password."""
    messages = progress.done if follower == Follower.UNDO else progress.failed
    return is_password_required(progress.job.kind, messages)


def is_password_required_for_set(request: JobRequest) -> bool:
    """
    Whether a job requires the password, by the messages that it would change now.

    If the preview is not exact enough, the messages of the filter are counted up to the limit. If that takes
    too long, the job counts as large.
    """
    return is_guarded_by_password(request.spec.kind) and _is_large(request)


def _is_large(request: JobRequest) -> bool:
    try:
        least, most = preview_job(request)["to_do_between"]
    except OperationalError:  # It has no bound.
        least, most = 0, sys.maxsize
    if least >= settings.BULK_GUARD_FROM or most < settings.BULK_GUARD_FROM:
        return least >= settings.BULK_GUARD_FROM
    store = store_of(request.spec.kind)
    parsed = store.parse(as_query(request.filter), user=request.user)
    return store.has_more_than(settings.BULK_GUARD_FROM - 1, parsed, timeout_ms=_LOOK_MS)


def kept_in_report(kind: str, *, is_scheduled: bool) -> JobReport:
    """
    Return the part of a new job's report about approval; empty if no second person is required.

    Jobs of schedules do not wait, because an administrator decided about them by saving the schedule, unless
    they change payloads.
    """
    spec = spec_of(kind)
    if spec.changes_payloads and settings.RESEND_GUARD == BulkGuard.SECOND_PERSON:
        return {SECOND_PERSON_FROM: 1}
    is_guarded = settings.BULK_GUARD == BulkGuard.SECOND_PERSON and spec.is_guarded
    return {SECOND_PERSON_FROM: settings.BULK_GUARD_FROM} if is_guarded and not is_scheduled else {}


def rest_until_approved(lease: Lease, job: Job) -> bool:
    """
    Pause a job whose new plan has so much to do that a second person must decide. It then occupies no worker.

    Returns:
        Whether it was paused.
    """
    start = job.report.get(SECOND_PERSON_FROM)
    if start is None or progress_of(job).left < start:
        return False
    return pause_job(
        lease,
        state=JobState.PLANNED,
        paused_for=PauseReason.SECOND_PERSON,
        from_states=[JobState.QUEUED],
        action="ask_second_person",
    )


def stop_undecided_jobs() -> None:
    """Stop every job that has waited too long for a decision."""
    values = {
        "waiting": JobState.PLANNED,
        "paused_for": PauseReason.SECOND_PERSON,
        "hours": settings.BULK_GUARD_HOURS,
    }
    text = f"It was not approved within {settings.BULK_GUARD_HOURS} hours."
    for job in Job.objects.filter(pk__in=statements.fetch_column("undecided_jobs", values)):
        if stop_by_itself(job, from_state=JobState.PLANNED, error=text):
            end_stopping(job.pk)


def new_plan_report(job: Job) -> JobReport:
    """Return the part of a job's report about its new plan, if someone confirmed a number."""
    return {TO_DO: progress_of(job).left} if CONFIRMED in job.report else {}


def rest_until_confirmed(lease: Lease, job: Job) -> bool:
    """
    Pause a job whose new plan has more messages than were confirmed. Return whether it was paused.

    The difference may be a tenth. If a second person must decide about the job anyway, that person sees both
    numbers, and no other confirmation is needed.
    """
    confirmed = job.report.get(CONFIRMED)
    if confirmed is None or is_confirmed(confirmed, progress_of(job).left):
        return False
    return pause_job(
        lease,
        paused_for=PauseReason.CONFIRMATION,
        from_states=[JobState.QUEUED],
        action="ask_confirmation",
    )
