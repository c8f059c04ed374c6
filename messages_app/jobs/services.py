"""
Every write to a job on behalf of an operator: making one, steering it, approving it, making what follows.

Source: DESIGN.md "Jobs"; reliability I-27, I-31.
"""

from messages_app.jobs.asking.refusals import InvalidJob, NotAllowed
from messages_app.jobs.changing.creating import create_job
from messages_app.jobs.changing.deciding import approve_job, refuse_job
from messages_app.jobs.changing.refusals import AlreadyRunning, JobConflict, JobNotFound
from messages_app.jobs.changing.repeating import retry_failed, undo_deadline, undo_job
from messages_app.jobs.changing.steering import change_rate, pause_job, resume_job, stop_job
from messages_app.jobs.states import STOPPABLE_STATES

__all__ = [
    "STOPPABLE_STATES",
    "AlreadyRunning",
    "InvalidJob",
    "JobConflict",
    "JobNotFound",
    "NotAllowed",
    "approve_job",
    "change_rate",
    "create_job",
    "pause_job",
    "refuse_job",
    "resume_job",
    "retry_failed",
    "stop_job",
    "undo_deadline",
    "undo_job",
]
