"""
Calls that steer or follow a job, with the permissions by kind, and errors as problem details.
"""

import re
from collections.abc import Callable, Collection, Mapping
from functools import partial

from rest_framework.request import Request

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.access.calls import Action
from messages_app.access.idempotency import Answer
from messages_app.access.models import ApiToken
from messages_app.audit.services import Actor
from messages_app.core.etags import Tag
from messages_app.core.problems import FieldError, Problem, bad_input, not_found, problems_for, quote_value
from messages_app.jobs.api.serializers import JobSerializer, ResumeSerializer, WhySerializer
from messages_app.jobs.errors import AlreadyRunning, InvalidJob, JobConflict, JobNotFound
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import may_decide, may_steer, why_not_decide
from messages_app.jobs.selectors import JobProgress, job_progress, progress_of
from messages_app.jobs.services.bulk_guard import is_password_required_for_follower
from messages_app.jobs.services.control import approve_job, pause_job, refuse_job, resume_job, stop_job
from messages_app.jobs.services.retry_undo import retry_failed, undo_job
from messages_app.shared.job_states import Follower

_ID = re.compile(r"[0-9]{1,18}")


def get_progress(text: str) -> JobProgress:
    """
    Return the job of an address with its sums. An id consists of digits only.

    Raises:
        Problem: 404.
    """
    progress = job_progress(int(text)) if _ID.fullmatch(text) else None
    if progress is None:
        raise _no_job(text)
    return progress


def get_job(text: str) -> Job:
    """Return the job of an address. Raises Problem like `get_progress`."""
    job = Job.objects.filter(pk=int(text)).first() if _ID.fullmatch(text) else None
    if job is None:
        raise _no_job(text)
    return job


def represent_job(
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


def may_steer_job(*, job_id: str, user: Caller) -> bool:
    return may_steer(user, get_job(job_id))


def may_decide_on_job(*, job_id: str, user: Caller) -> bool:
    return may_decide(user, get_job(job_id))


def explain_refused_decision(*, job_id: str, user: Caller) -> str:
    return why_not_decide(user, get_job(job_id))


def _lock_job(*, job_id: str, request: Request) -> Mapping[str, object]:
    job = Job.objects.select_for_update(no_key=True).filter(pk=get_job(job_id).pk).get()
    return represent_job(request, progress_of(job))


JOB = Tag(
    lock=_lock_job,
    moving=frozenset(
        {"heartbeat_at", "step", "planned", "done", "skipped", "failed", "outcomes", "report", "watermark"}
    ),
)


def check_password_guard(request: Request, is_password_required: Callable[[], bool]) -> None:
    """
    Refuse a session where a page would ask for the password. Tokens have no password.

    Raises:
        Problem: 403 password_required.
    """
    if not isinstance(request.auth, ApiToken) and is_password_required():
        text = "This many messages require your password. Start the job on the page, or call with a token."
        raise Problem(403, "password_required", text)


def _bad_input(error: InvalidJob) -> Problem:
    return bad_input(
        FieldError(each.field, each.code, f"{each.field}: {each.message}") for each in error.errors
    )


def _already_running(error: AlreadyRunning) -> Problem:
    return Problem(409, "already_running", str(error), extra={"job_id": error.job_id})


def _describe_conflict(error: JobConflict) -> Problem:
    return Problem(409, "state_conflict", str(error), extra={"current_state": error.current_state})


as_problems = problems_for(
    {
        InvalidJob: _bad_input,
        AlreadyRunning: _already_running,
        JobConflict: _describe_conflict,
        JobNotFound: lambda error: not_found(str(error)),
    }
)


def act_and_show(service: Callable[..., Job]) -> Callable[..., Answer]:
    """Return a function that calls a service for a job, and answers with the job after it."""

    def answer_job(*, job_id: str, request: Request, actor: Actor, **values: object) -> Answer:
        job = service(job_id=int(job_id), actor=actor, **values)
        return Answer(200, represent_job(request, progress_of(job)))

    return answer_job


def follow_job(service: Callable[..., Job], follower: Follower) -> Callable[..., Answer]:
    """Return a function that calls a service for a job, and answers with the new job, a `follower`."""

    def answer_follower(*, job_id: str, request: Request, actor: Actor, reason: str) -> Answer:
        progress = get_progress(job_id)
        check_password_guard(request, lambda: is_password_required_for_follower(progress, follower))
        job = service(job_id=int(job_id), actor=actor, reason=reason)
        return Answer(202, represent_job(request, progress_of(job)))

    return answer_follower


_call = partial(
    Action,
    right=roles.CAN_VIEW_JOBS,
    may_call=may_steer_job,
    body=WhySerializer,
    answer=JobSerializer,
    tag=JOB,
    errors=as_problems,
)
_steer = partial(
    _call,
    name="Steering",
    description="Pause or stop a job. Messages already processed are not undone, and no new chunk starts.",
)
_decide = partial(
    _call,
    name="Deciding",
    may_call=may_decide_on_job,
    why_not=explain_refused_decision,
    description=(
        "Approve or refuse a job that waits for a second person: a user with permission for such jobs who did"
        " not create this one. Approved, it continues with the frozen selection; refused, it ends without"
        " changes."
    ),
)
_follow = partial(
    _call,
    name="Following",
    statuses=(202,),
    location="jobs/{job_id}/",
    description=(
        "Create a job from this one: undo what it did to messages that have not changed since, or retry the"
        " messages that failed in it."
    ),
)

CALLS = [
    _steer("jobs/<str:job_id>/pause/", act_and_show(pause_job), audited_as="pause_job"),
    _call(
        "jobs/<str:job_id>/resume/",
        act_and_show(resume_job),
        name="Resuming",
        audited_as="resume_job",
        body=ResumeSerializer,
        description=(
            "Resume a paused job. If its selection is larger than what was confirmed, `confirmed` is"
            " required: at least ten elevenths of `report.to_do`."
        ),
    ),
    _steer("jobs/<str:job_id>/stop/", act_and_show(stop_job), audited_as="stop_job"),
    _decide("jobs/<str:job_id>/approve/", act_and_show(approve_job), audited_as="approve_job"),
    _decide("jobs/<str:job_id>/refuse/", act_and_show(refuse_job), audited_as="refuse_job"),
    _follow("jobs/<str:job_id>/undo/", follow_job(undo_job, Follower.UNDO), audited_as="undo_job"),
    _follow(
        "jobs/<str:job_id>/retry-failed/",
        follow_job(retry_failed, Follower.RETRY),
        audited_as="retry_failed",
    ),
]
