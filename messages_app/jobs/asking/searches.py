"""
Jobs whose filter searches in payloads: what was searched for, and what it found, tells contents.

So both are shown only to readers of payloads. How many messages such a job has is shown to everybody.
"""

from collections.abc import Mapping

from django.contrib.auth.models import AbstractBaseUser

from messages_app.contents.addresses import MASK
from messages_app.jobs.models import Job
from messages_app.messages.filtering.filters import RIGHTS


def is_withheld(filter: Mapping[str, object], user: AbstractBaseUser) -> bool:
    """Whether `user` may not see a filter whole."""
    return any(not user.has_perm(right) for right in _rights(filter))


def shown_filter(filter: Mapping[str, object], user: AbstractBaseUser) -> Mapping[str, object]:
    """Return a filter as `user` may see it. What is stored may have been edited into something else."""
    return masked_filter(filter) if is_withheld(filter, user) else filter


def masked_filter(filter: Mapping[str, object]) -> dict[str, object]:
    """Return a filter as everybody may see it, as in the audit."""
    return {name: MASK if name in RIGHTS else value for name, value in filter.items()}


def hides_messages(job: Job, user: AbstractBaseUser) -> bool:
    """Whether `user` may not see which messages a job has: it, or the job that it undoes, found them so."""
    if job.undo_of is None:
        return is_withheld(job.filter, user)
    origin = Job.objects.filter(pk=job.undo_of).values_list("filter", flat=True).first()
    return is_withheld(origin or {}, user)


def _rights(filter: object) -> list[str]:
    return [RIGHTS[name] for name in filter if name in RIGHTS] if isinstance(filter, Mapping) else []
