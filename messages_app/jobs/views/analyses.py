"""The button that asks what failures have in common, and the newest answer for a failure group."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
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
from messages_app.shared.job_states import JobState

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
    """Render the newest analysis of a failure group, and the button that starts one."""
    job = newest_analysis(read_newest_analyses(), group_id)
    is_answered = job is not None and job.state == JobState.DONE and has_findings(job, request.user)
    context = {
        "group_id": group_id,
        "analysis": job,
        "is_answered": is_answered,
        "findings": show_findings(job, request.user) if job and is_answered else [],
        "may_analyse": may_make(request.user, ANALYSE.kind, {}),
    }
    is_part = "HX-Request" in request.headers
    template = "_analysis_of_group.html" if is_part else "analysis_of_group.html"
    return render(request, f"messages_app/jobs/{template}", context)
