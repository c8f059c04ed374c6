"""Bulk jobs over REST. Source: spec/interfaces.md 6."""

import re

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ActionView, ApiView
from messages_app.access.idempotency import Answer
from messages_app.jobs import lists, services
from messages_app.jobs.queries import JobProgress, job_progress, progress_of
from messages_app.jobs.serializers import JobItemSerializer, JobSerializer, NewJobSerializer, StopSerializer
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
from messages_app.web.problems import FieldError, Problem, bad_input, not_found, shown

_PAGING = frozenset({"cursor", "page_size"})


def _progress(text: str) -> JobProgress:
    """Return the job that an address names; whatever is not plain digits names none."""
    progress = job_progress(int(text)) if re.fullmatch(r"[0-9]{1,18}", text) else None
    if progress is None:
        raise not_found(f"No job has the id {shown(text)}.")
    return progress


def _paging(values: dict[str, str]) -> dict[str, object]:
    arguments = paging.arguments(values)
    del arguments["ordering"]
    return arguments


class JobListView(ActionView):
    rights = {"GET": roles.CAN_VIEW_JOBS, "POST": roles.CAN_ARCHIVE}
    parameters = _PAGING
    action = "create_job"

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
    def post(self, request: Request) -> Response:
        """Start a job: it is stored now, and worked on as soon as a worker is free."""
        return super().post(request)

    def act(self, request: Request) -> Answer:
        body = NewJobSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        try:
            job = services.create_job(actor=actor_of(request), user=request.user, **body.validated_data)
        except services.InvalidJob as error:
            raise _bad_job(error) from None
        except services.AlreadyRunning as error:
            raise Problem(409, "already_running", str(error), extra={"job_id": error.job_id}) from None
        return Answer(202, JobSerializer(progress_of(job)).data)


def _bad_job(error: services.InvalidJob) -> Problem:
    return bad_input(
        FieldError(each.field, each.code, f"{each.field}: {each.message}") for each in error.errors
    )


class JobView(ApiView):
    rights = {"GET": roles.CAN_VIEW_JOBS}

    @extend_schema(responses=answers(200, JobSerializer, READING_ONE))
    def get(self, request: Request, job_id: str) -> Response:
        """Give one job with its progress."""
        return Response(JobSerializer(_progress(job_id)).data)


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
        job = _progress(job_id).job
        page = lists.item_page(job=job, outcome=self.values.get("outcome"), **_paging(self.values))
        rows = JobItemSerializer(page.rows, many=True).data
        return Response({**paging.page_links(request._request, page), "results": rows})


class JobStopView(ActionView):
    rights = {"POST": roles.CAN_ARCHIVE}
    action = "stop_job"

    @extend_schema(
        request=StopSerializer,
        parameters=[IDEMPOTENCY],
        responses=answers(200, JobSerializer, ACTING_ON_ONE),
    )
    def post(self, request: Request, job_id: str) -> Response:
        """Ask a job to stop: what is done stays done, nothing new begins."""
        return super().post(request, job_id=job_id)

    def act(self, request: Request, job_id: str) -> Answer:
        progress = _progress(job_id)
        body = StopSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        try:
            job = services.stop_job(
                job_id=progress.job.pk, actor=actor_of(request), reason=body.validated_data["reason"]
            )
        except services.JobConflict as error:
            extra = {"current_state": error.current_state}
            raise Problem(409, "state_conflict", str(error), extra=extra) from None
        return Answer(200, JobSerializer(progress_of(job)).data)
