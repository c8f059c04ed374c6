"""Bulk jobs over REST: the list, a new one, one with its rate, its messages. Source: interfaces.md 6."""

from collections.abc import Mapping

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ApiView
from messages_app.access.idempotency import Answer
from messages_app.jobs import services
from messages_app.jobs.api.acting import (
    JobActingView,
    as_problems,
    check_password_guard,
    found_job,
    found_progress,
)
from messages_app.jobs.api.serializers import (
    JobItemSerializer,
    JobSerializer,
    NewJobSerializer,
    RateSerializer,
)
from messages_app.jobs.asking.bulk_guard import asks_password, set_wants_password
from messages_app.jobs.asking.checking import check_job
from messages_app.jobs.asking.rights import may_make, may_steer, refuse_without_reason
from messages_app.jobs.listing import lists
from messages_app.jobs.queries import progress_of
from messages_app.web import paging
from messages_app.web.api_schema import (
    ACTING,
    ACTING_ON_ONE,
    IDEMPOTENCY,
    READING,
    READING_ONE,
    answers,
    page_of,
    paging_parameters,
)

_PAGING = frozenset({"cursor", "page_size"})


def _paging(values: dict[str, str]) -> dict[str, object]:
    arguments = paging.arguments(values)
    del arguments["ordering"]
    return arguments


class JobListView(JobActingView):
    rights = {"GET": roles.CAN_VIEW_JOBS, "POST": roles.CAN_VIEW_JOBS}
    parameters = _PAGING
    audited_as = "create_job"

    def may_act(self, request: Request) -> bool:
        kind, options = request.data.get("kind"), request.data.get("options")
        return may_make(
            request.user,
            kind if isinstance(kind, str) else "",
            options if isinstance(options, dict) else {},
        )

    @extend_schema(
        operation_id="jobs_list",
        parameters=paging_parameters(),
        responses=answers(200, page_of(JobSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        """List jobs, newest first."""
        page = lists.job_page(**_paging(self.values))
        rows = JobSerializer([progress_of(job) for job in page.rows], many=True).data
        return Response({**paging.page_links(request._request, page), "results": rows})

    @extend_schema(
        request=NewJobSerializer,
        parameters=[IDEMPOTENCY],
        responses=answers(202, JobSerializer, (*ACTING, 409)),
    )
    def post(self, request: Request) -> HttpResponse:
        """Start a job: it is stored now, and worked on as soon as a worker is free."""
        return self.answer_once(request)

    def act(self, request: Request) -> Answer:
        body = NewJobSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        refuse_without_reason(request.user, body.validated_data["kind"], body.validated_data["filter"])
        with as_problems():
            check_password_guard(request, lambda: _wants_password(request, body.validated_data))
            job = services.create_job(actor=actor_of(request), user=request.user, **body.validated_data)
        return Answer(202, JobSerializer(progress_of(job)).data)


def _wants_password(request: Request, asked: Mapping[str, object]) -> bool:
    """
    Raises:
        InvalidJob: a parameter is wrong.
    """
    if asked["dry_run"] or not asks_password(asked["kind"]):
        return False
    values = {name: asked[name] for name in ("kind", "filter", "options", "reason")}
    options, filter = check_job(**values, user=request.user)
    return set_wants_password(kind=asked["kind"], filter=filter, options=options, user=request.user)


class JobView(JobActingView):
    rights = {"GET": roles.CAN_VIEW_JOBS, "PATCH": roles.CAN_VIEW_JOBS}
    audited_as = "change_rate"

    def may_act(self, request: Request, job_id: str) -> bool:
        return may_steer(request.user, found_job(job_id))

    @extend_schema(responses=answers(200, JobSerializer, READING_ONE))
    def get(self, request: Request, job_id: str) -> Response:
        """Give one job with its progress."""
        return Response(JobSerializer(found_progress(job_id)).data)

    @extend_schema(
        request=RateSerializer,
        parameters=[IDEMPOTENCY],
        responses=answers(200, JobSerializer, ACTING_ON_ONE),
    )
    def patch(self, request: Request, job_id: str) -> HttpResponse:
        """Change how many messages a second a job may do; it obeys within a second."""
        return self.answer_once(request, job_id=job_id)

    def act(self, request: Request, job_id: str) -> Answer:
        body = RateSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        with as_problems():
            job = services.change_rate(job_id=int(job_id), actor=actor_of(request), **body.validated_data)
        return Answer(200, JobSerializer(progress_of(job)).data)


class JobItemsView(ApiView):
    rights = {"GET": roles.CAN_VIEW_JOBS}
    parameters = _PAGING | {"outcome"}

    @extend_schema(
        parameters=[
            *paging_parameters(),
            OpenApiParameter("outcome", str, description="done, skipped, failed, or one with its reason."),
        ],
        responses=answers(200, page_of(JobItemSerializer), READING_ONE),
    )
    def get(self, request: Request, job_id: str) -> Response:
        """List what became of the job's messages."""
        job = found_job(job_id)
        page = lists.item_page(job=job, outcome=self.values.get("outcome"), **_paging(self.values))
        rows = JobItemSerializer(page.rows, many=True).data
        return Response({**paging.page_links(request._request, page), "results": rows})
