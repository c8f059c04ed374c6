"""Who may make, steer, approve, undo and repeat jobs: the one table of it. Source: spec/interfaces.md 9."""

from collections.abc import Mapping

from django.contrib.auth.models import AbstractBaseUser

from messages_app.access import roles
from messages_app.jobs.models import Job
from messages_app.jobs.states import JobKind

_RIGHTS: Mapping[str, str] = {
    JobKind.ARCHIVE: roles.CAN_ARCHIVE,
    JobKind.RESTORE: roles.CAN_ARCHIVE,
    JobKind.ARCHIVE_HISTORY: roles.CAN_ARCHIVE,
    JobKind.RESTART: roles.CAN_RESTART,
    JobKind.CANCEL: roles.CAN_CANCEL,
    JobKind.REPROCESS: roles.CAN_REPROCESS,
    JobKind.EXPORT: roles.CAN_VIEW_MESSAGES,
    JobKind.GROUP_FAILURES: roles.CAN_CHANGE_GROUPS,
}

# Schedules work at night, for everybody: administrators make them.
CAN_SCHEDULE = roles.CAN_ARCHIVE


def may_make(user: AbstractBaseUser, kind: str, options: Mapping[str, object]) -> bool:
    """Whether `user` may make, or preview, such a job; of a kind that there is not, everybody may be told."""
    if not user.has_perm(_RIGHTS.get(kind, roles.CAN_VIEW_JOBS)):
        return False
    return not _reads_payloads(kind, options) or user.has_perm(roles.CAN_VIEW_PAYLOAD)


def may_steer(user: AbstractBaseUser, job: Job) -> bool:
    """
    Whether `user` may pause, resume, stop, undo or repeat this job.

    Who may make such a job may steer everybody's; but an export is its maker's, and the administrators'.
    """
    if not may_make(user, job.kind, job.options):
        return False
    is_theirs = job.created_by == user.get_username()
    return job.kind != JobKind.EXPORT or is_theirs or user.has_perm(roles.CAN_ARCHIVE)


def may_decide(user: AbstractBaseUser, job: Job) -> bool:
    """Whether `user` is a second person for this job: may make such a one, and did not make this one."""
    return may_steer(user, job) and job.created_by != user.get_username()


def _reads_payloads(kind: str, options: Mapping[str, object]) -> bool:
    return kind == JobKind.EXPORT and bool(options.get("payload"))
