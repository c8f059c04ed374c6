"""
Who may make, steer, approve, undo and repeat jobs, by what their kinds say.

Source: docs/spec/interfaces.md, "Pages and roles".
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.jobs.kinds.registry import kinds_of, spec_of
from messages_app.jobs.kinds.spec import KindSpec, Rows, Selects
from messages_app.jobs.models import Job
from messages_app.jobs.stores import store_of
from messages_app.messages.filters import filters
from messages_app.messages.filters.filters import RIGHTS, MessageFilter
from messages_app.shared.job_records import Given
from messages_app.shared.job_states import StoreName
from messages_app.shared.message_states import FINAL_STATES
from messages_app.shared.text_safety import MASK

# Schedules work at night, for everybody: administrators make them.
CAN_SCHEDULE = roles.CAN_ARCHIVE


def may_make(user: Caller, kind: str, options: Given) -> bool:
    """Whether `user` may make, or preview, such a job; of a kind that there is not, everybody may be told."""
    return not _missing(user, _needed(kind, options))


def refuse_without_reason(user: Caller, kind: str, names: Collection[str]) -> None:
    """
    Refuse a job with a filter that the session may use only once it has a reason.

    Raises:
        PermissionDenied: as of messages/filters/filters.py.
    """
    known = store_of(kind).vocabulary.filters
    filters.refuse_without_reason(known.keys() & names, user=user)


def missing_right(user: Caller, job: Job) -> str:
    """
    Return the first right that `user` lacks to make this job; empty where none is.

    Its filter counts too, but for a job that tries again what failed in another one: that reads no filter.
    """
    names = job.filter if job.retry_of is None else {}
    of_filter = (filters.RIGHTS[name] for name in names if name in filters.RIGHTS)
    return _missing(user, (*_needed(job.kind, job.options), *of_filter))


def kinds_offered(filters: MessageFilter, user: Caller) -> list[KindSpec]:
    """
    Return the kinds of jobs that the list of messages offers `user` for its filter; without a filter none.

    Those that change messages where they are come first, then those that move them, then exports.
    """
    if filters.is_empty or not user.has_perm(roles.CAN_VIEW_JOBS):
        return []
    specs = (spec_of(kind) for kind in kinds_of(StoreName.MESSAGES))
    offered = (spec for spec in specs if user.has_perm(spec.permission) and _may_act_on(spec, filters))
    return sorted(offered, key=lambda spec: (spec.makes_file, spec.moves_rows))


def _may_act_on(spec: KindSpec, filters: MessageFilter) -> bool:
    """Whether jobs of this kind can do something to messages of the filter, by their places and states."""
    is_live = not filters.archived and not filters.is_anywhere
    if spec.selects is not Selects.FILTER or (spec.rows is Rows.LIVE and not is_live):
        return False
    if spec.rows is Rows.ARCHIVED and not filters.archived:
        return False
    states = set(filters.states)
    if spec.is_of_final:
        return states <= FINAL_STATES
    return spec.acts_on is None or not states or not states.isdisjoint(spec.acts_on())


def may_steer(user: Caller, job: Job) -> bool:
    """
    Whether `user` may pause, resume, stop, undo or repeat this job.

    Who may make such a job may steer everybody's; but one that makes a file is its maker's, and the
    administrators'.
    """
    is_theirs = job.created_by == user.get_username()
    if spec_of(job.kind).makes_file and not is_theirs and not user.has_perm(roles.CAN_ARCHIVE):
        return False
    return may_make(user, job.kind, job.options)


def may_decide(user: Caller, job: Job) -> bool:
    """Whether `user` is a second person for this job: may make such a one, and did not make this one."""
    return job.created_by != user.get_username() and may_steer(user, job)


def _needed(kind: str, options: Given) -> Iterator[str]:
    spec = spec_of(kind)
    yield spec.permission
    yield from (
        option.permission for name, option in spec.options.items() if option.permission and options.get(name)
    )


def _missing(user: Caller, needed: Iterable[str]) -> str:
    return next((right for right in needed if not user.has_perm(right)), "")


# Jobs whose filter searches in payloads: what was searched for, and what it found, tells contents.
#
# So both are shown only to readers of payloads. How many messages such a job has is shown to everybody.


def is_withheld(filter: Given, user: Caller) -> bool:
    """Whether `user` may not see a filter whole."""
    return any(not user.has_perm(right) for right in _rights(filter))


def shown_filter(filter: Given, user: Caller) -> Mapping[str, object]:
    """Return a filter as `user` may see it. What is stored may have been edited into something else."""
    return masked_filter(filter) if is_withheld(filter, user) else filter


def masked_filter(filter: Given) -> dict[str, object]:
    """Return a filter as everybody may see it, as in the audit."""
    return {name: MASK if name in RIGHTS else value for name, value in filter.items()}


def hides_messages(job: Job, user: Caller) -> bool:
    """Whether `user` may not see which messages a job has: it, or the job that it undoes, found them so."""
    if job.undo_of is None:
        return is_withheld(job.filter, user)
    origin = Job.objects.filter(pk=job.undo_of).values_list("filter", flat=True).first()
    return is_withheld(origin or {}, user)


def _rights(filter: object) -> list[str]:
    return [RIGHTS[name] for name in filter if name in RIGHTS] if isinstance(filter, Mapping) else []
