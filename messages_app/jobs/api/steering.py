"""Steering a job over REST, and making jobs that follow from one. Source: spec/interfaces.md 6."""

from collections.abc import Callable

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.idempotency import Answer
from messages_app.jobs import services
from messages_app.jobs.api.acting import (
    OneJobView,
    as_problems,
    check_password_guard,
    found_job,
    found_progress,
    shown_job,
)
from messages_app.jobs.api.serializers import JobSerializer, ResumeSerializer, WhySerializer
from messages_app.jobs.asking.bulk_guard import follower_wants_password
from messages_app.jobs.asking.rights import may_decide, may_steer
from messages_app.jobs.queries import progress_of
from messages_app.jobs.states import Follower
from messages_app.web.api_schema import ACTING_ON_ONE, IDEMPOTENCY, IF_MATCH, answers
from messages_app.web.serializers import StrictSerializer


class _OneJobView(OneJobView):
    """
    A POST about one job.

    `audited_as` is the name of the service that does it too; `status` is that of its answer; `body` is what
    it takes.
    """

    rights = {"POST": roles.CAN_VIEW_JOBS}
    audited_as = ""
    status = 200
    body: type[StrictSerializer] = WhySerializer

    def may_act(self, request: Request, job_id: str) -> bool:
        return may_steer(request.user, found_job(job_id))

    def post(self, request: Request, job_id: str) -> HttpResponse:
        return self.answer_once(request, job_id=job_id)

    def act(self, request: Request, job_id: str) -> Answer:
        body = self.body(data=request.data)
        body.is_valid(raise_exception=True)
        service = getattr(services, self.audited_as)
        with as_problems():
            job = service(job_id=int(job_id), actor=actor_of(request), **body.validated_data)
        return Answer(self.status, shown_job(request, progress_of(job)))


def _described(
    status: int, description: str, body: type[StrictSerializer] = WhySerializer
) -> Callable[[type], type]:
    schema = extend_schema(
        description=description,
        request=body,
        parameters=[IDEMPOTENCY, IF_MATCH],
        responses=answers(status, JobSerializer, ACTING_ON_ONE),
    )
    return extend_schema_view(post=schema)


@_described(200, "Pause or stop a job. What is done stays done; after a pause or a stop nothing begins.")
class SteeringView(_OneJobView):
    """`audited_as` is pause_job or stop_job."""


@_described(
    200,
    "Resume a paused job. One whose set is larger than what was confirmed continues only with `confirmed`: at"
    " least ten elevenths of `report.to_do`.",
    ResumeSerializer,
)
class ResumingView(_OneJobView):
    audited_as = "resume_job"
    body = ResumeSerializer


@_described(
    200,
    "Approve or refuse a job that waits for a second person: one who may make such jobs and did not make this"
    " one. Approved, it goes on with the set that was frozen; refused, it ends with nothing done.",
)
class DecidingView(_OneJobView):
    """`audited_as` is approve_job or refuse_job."""

    def may_act(self, request: Request, job_id: str) -> bool:
        return may_decide(request.user, found_job(job_id))


@_described(
    202,
    "Make a job that follows from this one: take back what it did where nobody changed it since, or do the"
    " same again to the messages that failed in it.",
)
class FollowingView(_OneJobView):
    """`audited_as` is undo_job or retry_failed, and `follower` what that makes; the answer is the new job."""

    status = 202
    follower = Follower.UNDO

    def act(self, request: Request, job_id: str) -> Answer:
        progress = found_progress(job_id)
        check_password_guard(request, lambda: follower_wants_password(progress, self.follower))
        return super().act(request, job_id)
