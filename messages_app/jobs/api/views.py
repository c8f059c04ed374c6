"""
The API of bulk jobs: list, create, retrieve, change the rate, list messages, download the export.

Source: docs/contributing/spec/interfaces.md, "Jobs".
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Unpack, cast

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import Caller, actor_of
from messages_app.access.api import ApiView
from messages_app.access.calls import Action, CallView
from messages_app.access.decorators import refuse_request
from messages_app.access.idempotency import Answer
from messages_app.access.reads import Read
from messages_app.audit.services import Actor
from messages_app.core.api_docs import WAIT_ENDED
from messages_app.core.api_schema import (
    ACTING,
    READING_ONE,
    describe_problems,
    page_of,
    paging_parameters,
)
from messages_app.core.filters.table import Filter, filters_by_name, read_filters
from messages_app.core.filters.table import describe_parameters as parameters_of
from messages_app.core.filters.values import parse_choice
from messages_app.core.pagination.paginator import PAGING, page_answer, parse_page
from messages_app.core.parameters import whole_number
from messages_app.core.problems import Extra, Problem, not_found
from messages_app.core.representation import represent_all
from messages_app.jobs import selectors
from messages_app.jobs.api.actions import (
    JOB,
    act_and_show,
    as_problems,
    check_password_guard,
    get_job,
    get_progress,
    may_steer_job,
    represent_job,
)
from messages_app.jobs.api.serializers import (
    JobItemSerializer,
    JobSerializer,
    NewJob,
    NewJobSerializer,
    RateSerializer,
)
from messages_app.jobs.export_downloads import (
    FileIsGone,
    FileOutOfReach,
    NoFile,
    may_download,
    offer_file,
    send_file,
)
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.permissions import (
    has_hidden_messages,
    may_make,
    refuse_without_reason,
)
from messages_app.jobs.selectors import progress_of, progress_of_jobs
from messages_app.jobs.services.bulk_guard import is_guarded_by_password, is_password_required_for_set
from messages_app.jobs.services.control import change_rate
from messages_app.jobs.services.create import create_job
from messages_app.jobs.validation import check_job
from messages_app.jobs.waiting import MAX_SECONDS, WaitEnd, wait_for_end
from messages_app.shared.job_states import JobState

JOBS = filters_by_name(
    Filter(name="state", lookup="", parse=parse_choice, choices=tuple(JobState), repeatable=True),
    Filter(name="kind", lookup="", parse=parse_choice, choices=kind_specs, repeatable=True),
)


# Seconds until a caller that could not wait asks again.
_RETRY_SECONDS = 2
_WAIT = OpenApiParameter(
    "wait",
    {"type": "integer", "minimum": 0, "maximum": MAX_SECONDS, "default": 0},
    description="Seconds to wait for the job to finish.",
)


def _extend_time_limit(request: Request, seconds: int) -> None:
    """Extend the time limit of a request that waits."""
    if (limit := getattr(request._request, "limit", None)) is not None:
        limit.postpone(seconds)


def list_jobs(request: Request, chosen_fields: Collection[str] | None) -> Response:
    values = read_filters(JOBS, request.query_params, other_parameters=PAGING)
    page = selectors.jobs_in(
        states=cast(Sequence[str], values.get("state", ())),
        kinds=cast(Sequence[str], values.get("kind", ())),
        **parse_page(request.query_params),
    )
    rows = [represent_job(request, progress, chosen_fields) for progress in progress_of_jobs(page.rows)]
    return page_answer(request, page, rows)


def may_start_job(request: Request) -> bool:
    kind, options = request.data.get("kind"), request.data.get("options")
    return may_make(
        request.user,
        kind if isinstance(kind, str) else "",
        options if isinstance(options, dict) else {},
    )


def start_job(*, request: Request, actor: Actor, **body: Unpack[NewJob]) -> Answer:
    refuse_without_reason(request.user, body["kind"], body["filter"])
    check_password_guard(request, lambda: _is_password_required(request, body))
    job = create_job(actor=actor, user=request.user, **body)
    return Answer(202, represent_job(request, progress_of(job)))


def _is_password_required(request: Request, body: NewJob) -> bool:
    """
    Raises:
        InvalidJob: a parameter is wrong.
    """
    if body["dry_run"] or not is_guarded_by_password(body["kind"]):
        return False
    return is_password_required_for_set(
        check_job(
            kind=body["kind"],
            filter=body["filter"],
            options=body["options"],
            reason=body["reason"],
            user=request.user,
        )
    )


class JobView(CallView):
    """The view of one job, which may wait until the job ends."""

    facts = {**CallView.facts, "view": lambda view: view}
    wait_end: WaitEnd | None = None

    def finalize_response(  # type: ignore[override]  # as of ApiView
        self, request: Request, response: HttpResponse, *args: object, **kwargs: object
    ) -> HttpResponse:
        """Add why the call stopped waiting, also to an answer without a body."""
        response = super().finalize_response(request, response, *args, **kwargs)
        if self.wait_end is not None:
            response.headers[WAIT_ENDED] = str(self.wait_end)
        if self.wait_end == WaitEnd.LIMIT:
            response.headers["Retry-After"] = str(_RETRY_SECONDS)
        return response


def read_job(*, job_id: str, request: Request, values: Mapping[str, str], view: JobView) -> Response:
    seconds = whole_number("wait", values.get("wait", "0"), least=0, most=MAX_SECONDS)
    job = get_job(job_id)
    if seconds:
        _extend_time_limit(request, seconds)
        view.wait_end = wait_for_end(job, seconds=seconds)
    return Response(represent_job(request, get_progress(job_id)))


def list_items(*, request: Request, job_id: str, values: Mapping[str, str], user: Caller) -> Response:
    job = get_job(job_id)
    if has_hidden_messages(job, user):
        raise PermissionDenied
    page = selectors.item_page(job=job, outcome=values.get("outcome"), **parse_page(request.query_params))
    return page_answer(request, page, represent_all(JobItemSerializer, page.rows))


CALLS = [
    Read(
        "jobs/",
        list_jobs,
        name="Job List",
        right=roles.CAN_VIEW_JOBS,
        query=None,
        parameters=[*parameters_of(JOBS), *paging_parameters()],
        answer=page_of(JobSerializer),
        operation_id="jobs_list",
        description="List jobs, newest first.",
    ),
    Action(
        "jobs/",
        start_job,
        right=roles.CAN_VIEW_JOBS,
        may_call=may_start_job,
        audited_as="create_job",
        body=NewJobSerializer,
        answer=JobSerializer,
        statuses=(202,),
        problems=(*ACTING, 409),
        errors=as_problems,
        location="jobs/{job_id}/",
        description="Start a job. It is stored immediately and starts when a worker is free.",
    ),
    Read(
        "jobs/<str:job_id>/",
        read_job,
        view=JobView,
        name="Job",
        right=roles.CAN_VIEW_JOBS,
        query=frozenset({"wait"}),
        parameters=[_WAIT],
        answer=JobSerializer,
        tag=JOB,
        description=(
            "Retrieve one job with its progress.\n\nWith `wait` the answer comes when the job has ended, or"
            " after that many seconds: check `state`, and call again. If too many other calls wait, the"
            " answer comes immediately. `X-Wait-Ended` has the reason: `job`, `time`, or `limit` with"
            " `Retry-After`."
        ),
    ),
    Action(
        "jobs/<str:job_id>/",
        act_and_show(change_rate),
        view=JobView,
        method="PATCH",
        right=roles.CAN_VIEW_JOBS,
        may_call=may_steer_job,
        audited_as="change_rate",
        body=RateSerializer,
        answer=JobSerializer,
        tag=JOB,
        errors=as_problems,
        description=("Change the maximum rate of a job, in messages per second. It applies within a second."),
    ),
    Read(
        "jobs/<str:job_id>/items/",
        list_items,
        name="Job Items",
        right=roles.CAN_VIEW_JOBS,
        answer=page_of(JobItemSerializer),
        parameters=[
            *paging_parameters(),
            OpenApiParameter(
                "outcome", str, description="done, skipped, failed, or one of them with its reason."
            ),
        ],
        query=PAGING | {"outcome"},
        description=(
            "List the job's messages with their outcomes.\n\nA job that searches payloads answers 403"
            " to callers who may not view payloads."
        ),
    ),
]


# By media type, without the charset. Generated clients use the first type that they know.
_FILES = {
    "text/csv": {"type": "string"},
    "application/x-ndjson": {"type": "string"},
    "application/vnd.apache.parquet": {"type": "string", "format": "binary"},
}


class DownloadView(ApiView):
    rights = {"GET": roles.CAN_VIEW_JOBS}

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[BaseRenderer, str]:
        """Accept any Accept header: the job's options decide the format of the file."""
        return JSONRenderer(), JSONRenderer.media_type

    @extend_schema(
        responses={(200, kind): shape for kind, shape in _FILES.items()}
        | describe_problems((*READING_ONE, 409, 410))
    )
    def get(self, request: Request, job_id: str) -> HttpResponseBase:
        """Download the file of a completed export."""
        job = get_job(job_id)
        if not may_download(request.user, job):
            refuse_request(request, action="download_export", is_reading=True, job_id=job.pk)
        try:
            return send_file(job, offer_file(job), actor=actor_of(request))
        except (FileIsGone, FileOutOfReach) as error:
            raise error.as_problem() from None
        except NoFile as none:
            if none.is_early:
                state: Extra = {"current_state": job.state}
                raise Problem(409, "state_conflict", str(none), extra=state) from None
            raise not_found(str(none)) from None
