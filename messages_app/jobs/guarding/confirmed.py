"""
The number that a person has confirmed, held against the set that was frozen.

A set that is more than a tenth larger rests, frozen, before anything is changed, until somebody confirms its
own number. Where a second person decides about the job anyway, that person sees both and is asked alone.
"""

from messages_app.jobs.asking.confirmed import CONFIRMED, TO_DO, covers
from messages_app.jobs.holding import lease
from messages_app.jobs.models import Job
from messages_app.jobs.queries import progress_of
from messages_app.jobs.states import JobState, PauseReason


def frozen(job: Job) -> dict[str, int]:
    """Return what the report of a job says of the plan that was just made, where a number was confirmed."""
    return {TO_DO: progress_of(job).left} if CONFIRMED in job.report else {}


def rest_if_larger(held: lease.Lease, job: Job) -> bool:
    """Lay a job to rest whose plan, just made, is larger than what was confirmed; return whether it was."""
    confirmed = job.report.get(CONFIRMED)
    if confirmed is None:
        return False
    to_do = progress_of(job).left
    if covers(confirmed, to_do):
        return False
    return lease.rest(
        held,
        paused_for=PauseReason.CONFIRMATION,
        from_states=[JobState.QUEUED],
        action="ask_confirmation",
    )
