"""Pages of jobs: the list, one job with its progress, and the archive with its button."""

from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import refuse, requires
from messages_app.jobs import lists, queries, services
from messages_app.jobs.forms import ArchiveForm, StopForm
from messages_app.jobs.progress import progress_words, recent_progress
from messages_app.jobs.queries import JobProgress
from messages_app.jobs.states import FINAL_STATES, JobKind, JobState
from messages_app.messages.archive_totals import archive_totals

# A preview ends in `planned` and stays there; anything else that is not final still moves.
_STEADY = FINAL_STATES | {JobState.PLANNED}


@require_safe
@requires(roles.CAN_VIEW_JOBS)
def job_list(request: HttpRequest) -> HttpResponse:
    page = lists.job_page(cursor=request.GET.get("cursor"))
    context = {"page": page, "progress": [queries.progress_of(job) for job in page.rows]}
    return render(request, "messages_app/jobs/list.html", context)


@require_safe
@requires(roles.CAN_VIEW_JOBS)
def job_page(request: HttpRequest, job_id: int) -> HttpResponse:
    return _job_page(request, job_id, StopForm())


def _job_page(request: HttpRequest, job_id: int, form: StopForm, status: int = 200) -> HttpResponse:
    progress = _progress_or_404(job_id)
    outcome = request.GET.get("outcome") or None
    items = lists.item_page(job=progress.job, outcome=outcome, cursor=request.GET.get("cursor"))
    context = _progress_context(progress) | {
        "items": items,
        "rows": sorted(_rows_by_table(progress).items()),
        "outcome": outcome,
        "form": form,
        "may_stop": request.user.has_perm(roles.CAN_ARCHIVE)
        and progress.job.state in services.STOPPABLE_STATES,
    }
    return render(request, "messages_app/jobs/detail.html", context, status=status)


def _rows_by_table(progress: JobProgress) -> dict[str, int]:
    """Return how many rows moved, or would move, by live table."""
    return progress.job.report.get("would_move", {}) if progress.job.dry_run else progress.moved


@require_safe
@requires(roles.CAN_VIEW_JOBS)
def job_progress_part(request: HttpRequest, job_id: int) -> HttpResponse:
    """Answer the part of a job's page that changes; once the job stands still, have the page loaded anew."""
    context = _progress_context(_progress_or_404(job_id))
    response = render(request, "messages_app/jobs/_progress.html", context)
    if not context["is_live"]:
        response.headers["HX-Refresh"] = "true"
    return response


def _progress_or_404(job_id: int) -> JobProgress:
    progress = queries.job_progress(job_id)
    if progress is None:
        raise Http404(f"No job has the id {job_id}.")
    return progress


def _progress_context(progress: JobProgress) -> dict[str, object]:
    is_live = progress.job.state not in _STEADY
    return {
        "progress": progress,
        "job": progress.job,
        "is_live": is_live,
        "words": progress_words(progress),
    }


@require_POST
@requires(roles.CAN_VIEW_JOBS)
def stop(request: HttpRequest, job_id: int) -> HttpResponse:
    if not request.user.has_perm(roles.CAN_ARCHIVE):
        refuse(request, action="stop_job", job_id=job_id)
    form = StopForm(request.POST)
    if not form.is_valid():
        return _job_page(request, job_id, form, status=400)
    try:
        services.stop_job(job_id=job_id, actor=actor_of(request), reason=form.cleaned_data["reason"])
    except services.JobNotFound as error:
        raise Http404(str(error)) from error
    except services.JobConflict as error:
        form.add_error(None, str(error))
        return _job_page(request, job_id, form, status=409)
    notices.success(request, "Asked to stop. Chunks under way are finished, none begins after them.")
    return redirect("job-detail", job_id=job_id)


@require_http_methods(["GET", "HEAD", "POST"])
@requires(roles.CAN_VIEW_JOBS)
def archive(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _archive_page(request, ArchiveForm())
    if not request.user.has_perm(roles.CAN_ARCHIVE):
        refuse(request, action=JobKind.ARCHIVE)
    form = ArchiveForm(request.POST)
    if not form.is_valid():
        return _archive_page(request, form, status=400)
    return _start_archive(request, form)


def _start_archive(request: HttpRequest, form: ArchiveForm) -> HttpResponse:
    try:
        job = services.create_job(
            kind=JobKind.ARCHIVE,
            filter={},
            options={"older_than_months": form.cleaned_data["older_than_months"]},
            dry_run=form.cleaned_data["dry_run"],
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
            user=request.user,
        )
    except services.InvalidJob as invalid:
        form.take_errors(invalid.errors)
        return _archive_page(request, form, status=400)
    except services.AlreadyRunning as running:
        return _archive_page(request, form, status=409, running=running)
    return redirect("job-detail", job_id=job.pk)


def _archive_page(
    request: HttpRequest,
    form: ArchiveForm,
    status: int = 200,
    running: services.AlreadyRunning | None = None,
) -> HttpResponse:
    context = {
        "form": form,
        "running": running,
        "totals": archive_totals(),
        "progress": recent_progress(JobKind.ARCHIVE),
        "may_archive": request.user.has_perm(roles.CAN_ARCHIVE),
    }
    return render(request, "messages_app/jobs/archive.html", context, status=status)
