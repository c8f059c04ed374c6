"""The addresses below one job: its page, the part of it that changes, and its ledger as a file."""

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.jobs.running import page
from messages_app.jobs.running.fates import fates_of
from messages_app.jobs.running.ledger import outcome_asked
from messages_app.jobs.running.ledger_file import ledger_lines


@require_safe
@requires(roles.CAN_VIEW_JOBS)
def job_page(request: HttpRequest, job_id: int) -> HttpResponse:
    return page.job_page(request, job_id)


@require_safe
@requires(roles.CAN_VIEW_JOBS)
def progress_part(request: HttpRequest, job_id: int) -> HttpResponse:
    """
    Answer the part of a job's page that changes.

    Where its buttons change too, it is a larger part; once the job stands still, the whole page.
    """
    context = page.live_context(request, page.found(job_id))
    if not context["is_live"]:
        return HttpResponse(headers={"HX-Refresh": "true"})
    if request.GET.get("phase") == context["phase"]:
        return render(request, "messages_app/jobs/_live.html", context)
    context["forms"] = page.steering_forms(context["job"])
    response = render(request, "messages_app/jobs/_top.html", context)
    response.headers["HX-Retarget"] = "#job-top"
    response.headers["HX-Reswap"] = "outerHTML"
    return response


@require_safe
@requires(roles.CAN_VIEW_JOBS)
def since_part(request: HttpRequest, job_id: int) -> HttpResponse:
    """Answer what became of the job's messages since; a page of its own for who has no scripts."""
    job = page.found(job_id).job
    template = "_since.html" if "HX-Request" in request.headers else "since.html"
    return render(request, f"messages_app/jobs/{template}", {"job": job, "fates": fates_of(job)})


@require_safe
@requires(roles.CAN_VIEW_JOBS)
def ledger_file(request: HttpRequest, job_id: int) -> StreamingHttpResponse:
    lines = ledger_lines(page.found(job_id).job, outcome_asked(request.GET))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="job-{job_id}-ledger.csv"'
    return response
