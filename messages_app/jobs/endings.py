"""How a job ends: whole, or early with what is done. Each is fenced by the lease."""

from django.db import connection, transaction

from messages_app.core.statements import Statements
from messages_app.jobs.drivers.driver import Driver
from messages_app.jobs.leases import Lease, hold, move
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import progress_of
from messages_app.shared.job_states import LIVE_STATES, JobState, SkipReason, skipped

statements = Statements("messages_app.jobs")


def finish(lease: Lease, driver: Driver) -> None:
    """
    End the job, if its ledger adds up; that it does not would be our defect, and is said
    (docs/spec/promises.md, I-20).
    """
    job = Job.objects.get(pk=lease.job_id)
    progress = progress_of(job)
    is_whole = progress.left == 0
    move(
        lease,
        JobState.DONE if is_whole else JobState.FAILED,
        from_states=[JobState.RUNNING, JobState.STOPPING],
        report={"moved": progress.moved, "orphans": progress.orphans} | driver.ended(job),
        error="" if is_whole else f"Count mismatch: {progress.left} messages have no outcome.",
        at_rest=True,
    )
    driver.tidy_up()


def end_early(lease: Lease, to_state: JobState, *, outcome: str, error: str) -> bool:
    """
    End the job with what is done; what is not gets `outcome`, so that the sums hold. Return whether it ended.

    Nothing is changed when another attempt has the job: it has its own way with what is not done.
    """
    with transaction.atomic():
        if not hold(lease, states=sorted(LIVE_STATES)):
            return False
        with connection.cursor() as cursor:
            for name in ("close_open_items", "close_open_chunks"):
                cursor.execute(statements.text(name), {"job_id": lease.job_id, "outcome": outcome})
        progress = progress_of(Job.objects.get(pk=lease.job_id))
        return move(
            lease,
            to_state,
            from_states=sorted(LIVE_STATES),
            report={"moved": progress.moved, "orphans": progress.orphans},
            error=error,
            at_rest=True,
        )


def stop_if_asked(lease: Lease) -> bool:
    """End a job that is to stop, and return whether it was one; its error says why, if no person asked."""
    asked = Job.objects.filter(pk=lease.job_id, attempt=lease.attempt, state=JobState.STOPPING).first()
    if asked is not None:
        end_early(lease, JobState.STOPPED, outcome=skipped(SkipReason.STOPPED), error=asked.error)
    return asked is not None
