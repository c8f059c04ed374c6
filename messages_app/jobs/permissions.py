"""
The rights to create, steer, approve, undo and retry jobs, by the permission of their kind.

Source: docs/contributing/spec/interfaces.md, "Pages and roles"; docs/contributing/spec/promises.md, S-28,
S-30.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from django.contrib.auth import get_user_model

from messages_app.access import roles
from messages_app.access.actors import Caller, may_be_users
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.kinds.spec import KindSpec
from messages_app.jobs.models import Job
from messages_app.jobs.stores import store_of
from messages_app.messages.filters import message_filter
from messages_app.messages.filters.message_filter import RIGHTS
from messages_app.shared.job_records import Given
from messages_app.shared.text_safety import MASK

# Only administrators create schedules: their jobs run unattended.
CAN_SCHEDULE = roles.CAN_ARCHIVE


def may_make(user: Caller, kind: str, options: Given) -> bool:
    """
    Whether `user` may create or preview such a job. An unknown kind requires the permission to view jobs.
    """
    return not _first_missing_right(user, _needed_permissions(kind, options))


def refuse_without_reason(user: Caller, kind: str, names: Collection[str]) -> None:
    """
    Refuse a filter that the session may only use after the user has entered a reason.

    Raises:
        PermissionDenied: the same as in messages/filters/message_filter.py.
    """
    of_store = store_of(kind).vocabulary.filters
    message_filter.refuse_without_reason(of_store.keys() & names, user=user)


def why_not_allowed(job: Job) -> str:
    """
    Return why the creator of a job may no longer create it; empty if they may, or if no user created it.

    Jobs from the command line or a schedule have no user. A creator who was removed has no permissions.
    """
    name = job.created_by
    if job.creator_id is None and not may_be_users(name):
        return ""
    user = get_user_model().objects.defer("password").filter(pk=job.creator_id or 0).first()
    if user is None:
        return f"Its creator {name} is no longer a user."
    if not user.is_active:
        return f"Its creator {name} is disabled."
    right = _find_missing_right(user, job)
    return f"Its creator {name} no longer has the permission {right}." if right else ""


def _find_missing_right(user: Caller, job: Job) -> str:
    """
    Return the first permission for this job that `user` lacks, or an empty string.

    The filter may require permissions too. A retry needs only the permission of its kind, because it reads no
    filter.
    """
    names = job.filter if job.retry_of is None else {}
    of_filter = (message_filter.RIGHTS[name] for name in names if name in message_filter.RIGHTS)
    return _first_missing_right(user, (*_needed_permissions(job.kind, job.options), *of_filter))


def may_steer(user: Caller, job: Job) -> bool:
    """
    Whether `user` may pause, resume, stop, undo or repeat this job.

    Users who may create such jobs may steer all of them. Only its creator and administrators may steer a job
    that makes a file.
    """
    is_theirs = job.creator_id is not None and job.creator_id == user.pk
    if spec_of(job.kind).makes_file and not is_theirs and not user.has_perm(roles.CAN_ARCHIVE):
        return False
    return may_make(user, job.kind, job.options)


def may_decide(user: Caller, job: Job) -> bool:
    """Whether `user` may approve this job: they may create such jobs, and did not create this one."""
    return not why_not_decide(user, job) and may_steer(user, job)


def why_not_decide(user: Caller, job: Job) -> str:
    """Return why `user` may not approve or refuse this job whatever their permissions; empty if they may."""
    return refusal_of_creator(job) if job.is_by(user.pk, user.get_username()) else ""


def refusal_of_creator(job: Job) -> str:
    """Return the refusal of a decision by the creator of a job."""
    return f"Job {job.pk} is your own. Another person must approve or refuse it."


def _needed_permissions(kind: str, options: Given) -> Iterator[str]:
    spec = spec_of(kind)
    yield spec.permission
    yield from (
        option.permission for name, option in spec.options.items() if option.permission and options.get(name)
    )


def _first_missing_right(user: Caller, needed: Iterable[str]) -> str:
    return next((right for right in needed if not user.has_perm(right)), "")


def is_withheld(filter: Given, user: Caller) -> bool:
    """
    Whether parts of a filter are masked for `user`.

    The text of a payload search, and the messages that it found, reveal contents. All users see how many
    messages such a job has.
    """
    return any(not user.has_perm(right) for right in _rights_for_filter(filter))


def shown_filter(filter: Given, user: Caller) -> Given:
    """
    Return a filter as `user` may see it. A stored filter may be any JSON, because someone may have edited it.
    """
    return masked_filter(filter) if is_withheld(filter, user) else filter


def masked_filter(filter: Given) -> Given:
    """Return a filter as all users may see it, for example in the audit log."""
    return {name: MASK if name in RIGHTS else value for name, value in filter.items()}


def shown_options(kind: str, options: Given, user: Caller | None) -> Given:
    """
    Return options as `user` may see them; None: as all users may.

    Without the permission to read payloads, sensitive options of the kind are masked. Texts of options that
    the kind does not have, for example from another release, are masked too, because they may be payloads.
    """
    if user is not None and user.has_perm(roles.CAN_VIEW_PAYLOAD):
        return options
    spec = spec_of(kind)
    return {
        name: MASK if value and _is_hidden(spec, name, value) else value for name, value in options.items()
    }


def _is_hidden(spec: KindSpec, name: str, value: object) -> bool:
    if name in spec.options:
        return name in spec.sensitive_options
    return not isinstance(value, bool | int | float)


def has_hidden_messages(job: Job, user: Caller) -> bool:
    """
    Whether `user` may not see the messages of a job, because a payload search found them, for the job itself
    or for the job that it undoes.
    """
    if job.undo_of is None:
        return is_withheld(job.filter, user)
    origin = Job.objects.filter(pk=job.undo_of).values_list("filter", flat=True).first()
    return is_withheld(origin or {}, user)


def _rights_for_filter(filter: object) -> list[str]:
    return [RIGHTS[name] for name in filter if name in RIGHTS] if isinstance(filter, Mapping) else []
