"""
The base of all calls that create, steer or follow jobs: permissions by kind, and errors as problem details.
"""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ActingView
from messages_app.access.idempotency import Answer
from messages_app.access.models import ApiToken
from messages_app.core.api_schema import ACTING_ON_ONE, IDEMPOTENCY, IF_MATCH, describe_answers
from messages_app.core.problems import FieldError, Problem, bad_input, not_found, problems_for, quote_value
from messages_app.core.serializers import StrictSerializer
from messages_app.jobs import services
from messages_app.jobs.api.serializers import JobSerializer, ResumeSerializer, WhySerializer
from messages_app.jobs.errors import InvalidJob
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import may_decide, may_steer
from messages_app.jobs.selectors import JobProgress, job_progress, progress_of
from messages_app.jobs.services.bulk_guard import follower_requires_password
from messages_app.shared.job_states import Follower

_ID = re.compile(r"[0-9]{1,18}")


def found_progress(text: str) -> JobProgress:
    """
    Return the job of an address with its sums. An id consists of digits only.

    Raises:
        Problem: 404.
    """
    progress = job_progress(int(text)) if _ID.fullmatch(text) else None
    if progress is None:
        raise _no_job(text)
    return progress


def found_job(text: str) -> Job:
    """Return the job of an address. Raises Problem like `found_progress`."""
    job = Job.objects.filter(pk=int(text)).first() if _ID.fullmatch(text) else None
    if job is None:
        raise _no_job(text)
    return job


def shown_job(
    request: Request, progress: JobProgress, only: Collection[str] | None = None
) -> Mapping[str, object]:
    """Return a job as the API shows it. `only` are the members to compute; None: all."""
    serializer = JobSerializer(progress, context={"request": request})
    if only is not None:
        for name in set(serializer.fields) - set(only):
            del serializer.fields[name]
    return serializer.data


def _no_job(text: str) -> Problem:
    return not_found(f"No job has the id {quote_value(text)}.")


class JobActingView(ActingView):
    """A call that creates or changes a job; `may_act` of the subclass decides who may."""

    location = "jobs/{job_id}/"

    def may_act(self, request: Request, *args: Any, **kwargs: Any) -> bool:
        raise NotImplementedError

    def check_permissions(self, request: Request) -> None:
        """Check the permission for the kind of job too, before the request has any effect."""
        super().check_permissions(request)
        is_acting = request.method in self.allowed_methods and request.method not in SAFE_METHODS
        if is_acting and not self.may_act(request, **self.kwargs):
            self.permission_denied(request)


class OneJobView(JobActingView):
    """A view whose address names one job."""

    moving = frozenset(
        {"heartbeat_at", "step", "planned", "done", "skipped", "failed", "outcomes", "report", "watermark"}
    )

    def locked_object(self, request: Request, job_id: str) -> Mapping[str, object]:
        job = Job.objects.select_for_update(no_key=True).filter(pk=found_job(job_id).pk).get()
        return shown_job(request, progress_of(job))


def check_password_guard(request: Request, requires_password: Callable[[], bool]) -> None:
    """
    Refuse a session where a page would ask for the password. Tokens have no password.

    Raises:
        Problem: 403 password_required.
    """
    if not isinstance(request.auth, ApiToken) and requires_password():
        text = "This many messages require your password. Start the job on the page, or call with a token."
        raise Problem(403, "password_required", text)


def _bad_input(error: InvalidJob) -> Problem:
    return bad_input(
        FieldError(each.field, each.code, f"{each.field}: {each.message}") for each in error.errors
    )


def _already_running(error: services.AlreadyRunning) -> Problem:
    return Problem(409, "already_running", str(error), extra={"job_id": error.job_id})


def _describe_conflict(error: services.JobConflict) -> Problem:
    return Problem(409, "state_conflict", str(error), extra={"current_state": error.current_state})


as_problems = problems_for(
    {
        InvalidJob: _bad_input,
        services.AlreadyRunning: _already_running,
        services.JobConflict: _describe_conflict,
        services.JobNotFound: lambda error: not_found(str(error)),
    }
)


def _no_service(**values: object) -> Job:
    raise NotImplementedError


class _OneJobView(OneJobView):
    """
    A POST that acts on one job.

    Routes or subclasses set `service`, which does the work, `status`, the HTTP status of the answer, and
    `body`, the serializer of the request body.
    """

    rights = {"POST": roles.CAN_VIEW_JOBS}
    audited_as = ""
    service: Callable[..., Job] = staticmethod(_no_service)
    status = 200
    body: type[StrictSerializer] = WhySerializer

    def may_act(self, request: Request, job_id: str) -> bool:
        return may_steer(request.user, found_job(job_id))

    def post(self, request: Request, job_id: str) -> HttpResponse:
        return self.answer_once(request, job_id=job_id)

    def act(self, request: Request, job_id: str) -> Answer:
        body = self.body(data=request.data)
        body.is_valid(raise_exception=True)
        with as_problems():
            job = self.service(job_id=int(job_id), actor=actor_of(request), **body.validated_data)
        return Answer(self.status, shown_job(request, progress_of(job)))


def _describe_action(
    status: int, description: str, body: type[StrictSerializer] = WhySerializer
) -> Callable[[type], type]:
    schema = extend_schema(
        description=description,
        request=body,
        parameters=[IDEMPOTENCY, IF_MATCH],
        responses=describe_answers(status, JobSerializer, ACTING_ON_ONE),
    )
    return extend_schema_view(post=schema)


@_describe_action(
    200, "Pause or stop a job. Messages already processed are not undone, and no new chunk starts."
)
class SteeringView(_OneJobView):
    """Run the `service` that the route names: pause_job or stop_job."""


@_describe_action(
    200,
    "Resume a paused job. If its selection is larger than what was confirmed, `confirmed` is required: at"
    " least ten elevenths of `report.to_do`.",
    ResumeSerializer,
)
class ResumingView(_OneJobView):
    audited_as = "resume_job"
    service = staticmethod(services.resume_job)
    body = ResumeSerializer


@_describe_action(
    200,
    "Approve or refuse a job that waits for a second person: a user with permission for such jobs who did not"
    " create this one. Approved, it continues with the frozen selection; refused, it ends without changes.",
)
class DecidingView(_OneJobView):
    """Run the `service` that the route names: approve_job or refuse_job."""

    def may_act(self, request: Request, job_id: str) -> bool:
        return may_decide(request.user, found_job(job_id))


@_describe_action(
    202,
    "Create a job from this one: undo what it did to messages that have not changed since, or retry the"
    " messages that failed in it.",
)
class FollowingView(_OneJobView):
    """
    Run the `service` that the route names, undo_job or retry_failed, and answer with the new job, a
    `follower`.
    """

    status = 202
    follower = Follower.UNDO

    def act(self, request: Request, job_id: str) -> Answer:
        progress = found_progress(job_id)
        check_password_guard(request, lambda: follower_requires_password(progress, self.follower))
        return super().act(request, job_id)
