"""The addresses below one job: its page, the part of it that changes, and its ledger as a file."""

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.decorators import refuse, requires
from messages_app.jobs.validation.permissions import hides_messages
from messages_app.jobs.views.detail import page
from messages_app.jobs.views.detail.ledger import ledger_lines, outcome_asked
from messages_app.jobs.views.detail.throughput import fates_of


@require_safe
@requires(roles.CAN_VIEW_JOBS)
def job_page(request: HttpRequest, job_id: int) -> HttpResponse:
    return page.job_page(request, job_id)


@require_safe
@requires(roles.CAN_VIEW_JOBS)
def progress_part(request: HttpRequest, job_id: int) -> HttpResponse:
    """
    Answer the parts of a job's page that change; the address says besides which part of the ledger it shows.

    Where its buttons change too, there are more of them; once the job stands still, it is the whole page.
    """
    samples, phase, fates = _taken_from_query(request, "samples", "phase", "fates")
    progress = page.found(job_id)
    if page.is_steady(progress.job):
        return _instead_of("#content", page.job_page(request, job_id))
    context = page.live_context(request, progress, samples=samples)
    context["fates_are_new"] = context["has_fates"] and not fates
    if phase == context["phase"]:
        return render(request, "messages_app/jobs/_progress.html", context)
    context |= page.phase_context(progress) | {"is_other_phase": True}
    return _instead_of("#job-top", render(request, "messages_app/jobs/_progress.html", context))


def _taken_from_query(request: HttpRequest, *names: str) -> list[str]:
    """Return what the page sends besides its address, and take it away: links are made of what is left."""
    params = request.GET.copy()
    found = [params.pop(name, [""])[-1] for name in names]
    request.GET = params  # type: ignore[assignment]  # the type is of what Django sets
    return found


def _instead_of(element: str, response: HttpResponse) -> HttpResponse:
    """Have an answer take the place of a larger element than the one that asked."""
    response.headers["HX-Retarget"] = element
    response.headers["HX-Reselect"] = element
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
    job = page.found(job_id).job
    if hides_messages(job, request.user):
        refuse(request, action="download_ledger", is_reading=True, job_id=job_id)
    lines = ledger_lines(job, outcome_asked(request.GET))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="job-{job_id}-ledger.csv"'
    return response
