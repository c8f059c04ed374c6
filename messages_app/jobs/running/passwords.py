"""The passwords that a job's page asks for, before it makes another large job."""

from django.http import HttpRequest, QueryDict

from messages_app.access.passwords import PasswordForm
from messages_app.jobs.asking.bulk_guard import follower_wants_password
from messages_app.jobs.queries import JobProgress
from messages_app.jobs.states import Follower


def asked_passwords(request: HttpRequest, progress: JobProgress) -> dict[str, PasswordForm]:
    """Return the empty forms that stand beside what makes a large job, by what it is called."""
    return {name: form for name in Follower if (form := password_for(request, progress, name))}


def password_for(
    request: HttpRequest, progress: JobProgress, name: str, data: QueryDict | None = None
) -> PasswordForm | None:
    """Return the form that goes with what is asked of a job, filled in with `data`; None where none does."""
    if name not in frozenset(Follower) or not follower_wants_password(progress, Follower(name)):
        return None
    return PasswordForm(data, request=request, auto_id=f"{name}_%s")
