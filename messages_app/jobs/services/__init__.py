"""
Every write to jobs on behalf of an operator: create, steer, approve, undo, retry.

Source: docs/contributing/spec/design.md, "Jobs"; docs/contributing/spec/promises.md, I-27, I-31.
"""

from messages_app.jobs.errors import AlreadyRunning, InvalidJob, JobConflict, JobNotFound, NotAllowed
from messages_app.jobs.services.control import (
    approve_job,
    change_rate,
    pause_job,
    refuse_job,
    resume_job,
    stop_job,
)
from messages_app.jobs.services.create import create_job
from messages_app.jobs.services.retry_undo import retry_failed, undo_deadline, undo_job
from messages_app.shared.job_states import STOPPABLE_STATES

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
