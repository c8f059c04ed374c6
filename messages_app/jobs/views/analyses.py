"""The button that asks what failures have in common, and the newest answer for a group or an incident."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import refuse_request, requires_permission
from messages_app.core.problems import bad_input
from messages_app.jobs.errors import InvalidJob
from messages_app.jobs.findings import has_findings, newest_analysis, read_newest_analyses, show_findings
from messages_app.jobs.kinds.registry import ANALYSE
from messages_app.jobs.permissions import may_make
from messages_app.jobs.services.create import create_job
from messages_app.jobs.validation import filter_of_query
from messages_app.messages.filters.message_filter import FAILURE_GROUP, INCIDENT, STATE
from messages_app.shared.job_states import JobState
from messages_app.shared.message_states import MessageState

QUERY = "query"
_QUESTION = "What do the failures have in common?"


@require_POST
@requires_permission(roles.CAN_VIEW_JOBS)
def start_analysis(request: HttpRequest) -> HttpResponse:
    """Start an analysis of the messages that the query string of a list selects."""
    if not may_make(request.user, ANALYSE.kind, {}):
        refuse_request(request, action=ANALYSE.kind)
    try:
        job = create_job(
            kind=ANALYSE.kind,
            filter=filter_of_query(request.POST.get(QUERY, "")),
            options={},
            dry_run=False,
            reason=_QUESTION,
            actor=actor_of(request),
            user=request.user,
        )
    except InvalidJob as invalid:
        raise bad_input(invalid.errors) from None
    return redirect("job-detail", job_id=job.pk)


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
def analysis_of_group(request: HttpRequest, group_id: int) -> HttpResponse:
    return _render_newest(
        request,
        FAILURE_GROUP,
        group_id,
        f"Failure group {group_id}",
        reverse("failure-group", args=[group_id]),
    )


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
def analysis_of_incident(request: HttpRequest, incident_id: int) -> HttpResponse:
    address = reverse("incident", args=[incident_id])
    return _render_newest(request, INCIDENT, incident_id, f"Incident {incident_id}", address)


def _render_newest(
    request: HttpRequest, filter_name: str, cause_id: int, cause: str, address: str
) -> HttpResponse:
    """Render the newest analysis of a failure group or an incident, and the button that starts one."""
    job = newest_analysis(read_newest_analyses(), filter_name=filter_name, cause_id=cause_id)
    is_answered = job is not None and job.state == JobState.DONE and has_findings(job, request.user)
    context = {
        "cause": cause,
        "address": address,
        "query": urlencode({STATE: MessageState.FAILED, filter_name: cause_id}),
        "analysis": job,
        "is_answered": is_answered,
        "findings": show_findings(job, request.user) if job and is_answered else [],
        "may_analyse": may_make(request.user, ANALYSE.kind, {}),
    }
    template = "_newest_analysis.html" if "HX-Request" in request.headers else "newest_analysis.html"
    return render(request, f"messages_app/jobs/{template}", context)
