"""What the addresses that make, steer or follow jobs share: rights by kind, and refusals as problems."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from messages_app.access.api import ActingView
from messages_app.access.models import ApiToken
from messages_app.jobs import services
from messages_app.jobs.api.serializers import JobSerializer
from messages_app.jobs.asking.refusals import InvalidJob
from messages_app.jobs.models import Job
from messages_app.jobs.queries import JobProgress, job_progress, progress_of
from messages_app.web.problems import FieldError, Problem, bad_input, not_found, shown

_ID = re.compile(r"[0-9]{1,18}")


def found_progress(text: str) -> JobProgress:
    """
    Return the job that an address names, with its sums; whatever is not plain digits names none.

    Raises:
        Problem: 404.
    """
    progress = job_progress(int(text)) if _ID.fullmatch(text) else None
    if progress is None:
        raise _no_job(text)
    return progress


def found_job(text: str) -> Job:
    """Return the job that an address names. Raises as found_progress."""
    job = Job.objects.filter(pk=int(text)).first() if _ID.fullmatch(text) else None
    if job is None:
        raise _no_job(text)
    return job


def shown_job(request: Request, progress: JobProgress) -> Mapping[str, object]:
    """Return what a call answers about a job."""
    return JobSerializer(progress, context={"request": request}).data


def _no_job(text: str) -> Problem:
    return not_found(f"No job has the id {shown(text)}.")


class JobActingView(ActingView):
    """An address that makes or changes a job; a subclass says in `may_act` who may."""

    location = "jobs/{job_id}/"

    def may_act(self, request: Request, **kwargs: str) -> bool:
        raise NotImplementedError

    def check_permissions(self, request: Request) -> None:
        """Refuse by the kind of job too, before anything is done or kept of the request."""
        super().check_permissions(request)
        is_acting = request.method in self.allowed_methods and request.method not in SAFE_METHODS
        if is_acting and not self.may_act(request, **self.kwargs):
            self.permission_denied(request)


class OneJobView(JobActingView):
    """An address of one job."""

    moving = frozenset(
        {"heartbeat_at", "step", "planned", "done", "skipped", "failed", "outcomes", "report", "watermark"}
    )

    def seen(self, request: Request, job_id: str) -> Mapping[str, object]:
        job = Job.objects.select_for_update(no_key=True).filter(pk=found_job(job_id).pk).get()
        return shown_job(request, progress_of(job))


def check_password_guard(request: Request, wants_password: Callable[[], bool]) -> None:
    """
    Refuse a session where a page would ask for the password. A token stands for itself: it has none.

    Raises:
        Problem: 403 password_required.
    """
    if not isinstance(request.auth, ApiToken) and wants_password():
        text = "So many messages need your password: start it on the page, or call with a token."
        raise Problem(403, "password_required", text)


@contextmanager
def as_problems() -> Iterator[None]:
    """Answer what services refuse."""
    try:
        yield
    except InvalidJob as error:
        raise _bad_input(error) from None
    except services.AlreadyRunning as error:
        raise Problem(409, "already_running", str(error), extra={"job_id": error.job_id}) from None
    except services.JobConflict as error:
        raise Problem(409, "state_conflict", str(error), extra=_state(error)) from None
    except services.JobNotFound as error:
        raise not_found(str(error)) from None


def _state(error: services.JobConflict) -> Mapping[str, str]:
    return {"current_state": error.current_state}


def _bad_input(error: InvalidJob) -> Problem:
    return bad_input(
        FieldError(each.field, each.code, f"{each.field}: {each.message}") for each in error.errors
    )
