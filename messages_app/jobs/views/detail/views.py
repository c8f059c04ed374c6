"""The views of one job: its page, the parts that refresh, its files, and the forms that steer it."""

from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import Caller, actor_of
from messages_app.access.decorators import refuse_request, requires_permission
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.reason_form import ReasonForm
from messages_app.jobs.errors import AlreadyRunning, InvalidJob, JobConflict
from messages_app.jobs.export_downloads import (
    FileIsGone,
    FileOutOfReach,
    NoFile,
    may_download,
    offer_file,
    send_file,
)
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import has_hidden_messages, may_decide, may_steer, why_not_decide
from messages_app.jobs.selectors import progress_of
from messages_app.jobs.services.control import (
    approve_job,
    change_rate,
    pause_job,
    refuse_job,
    resume_job,
    stop_job,
)
from messages_app.jobs.services.retry_undo import retry_failed, undo_job
from messages_app.jobs.views.detail import page
from messages_app.jobs.views.detail.forms import BriefForm, RateForm, ResumeForm, password_for
from messages_app.jobs.views.detail.ledger import (
    LEDGER_PARAMETERS,
    NOW,
    OUTCOME,
    end_asked,
    ledger_lines,
    outcome_asked,
)
from messages_app.jobs.views.detail.status_charts import MARK, quick_status_chart, status_chart_of


@dataclass(frozen=True, kw_only=True)
class Steer:
    """
    One action on a job's page.

    Args:
        form: its form.
        do: the service, which takes the fields of the form as keywords.
        by_default: the reason that is used if the form has none.
        done: the message on the next page, the page of the job or of the new job.
        is_allowed: returns whether a user may do it.
        why_not: returns why not, if no permission is missing.
    """

    form: type[forms.Form]
    do: Callable[..., Job]
    done: str
    by_default: str = ""
    is_allowed: Callable[[Caller, Job], bool] = may_steer
    why_not: Callable[[Caller, Job], str] = lambda user, job: ""


STEERS = {
    "pause": Steer(
        form=BriefForm,
        do=pause_job,
        by_default="Paused on the job's page.",
        done="Paused. Chunks in progress finish first.",
    ),
    "resume": Steer(
        form=ResumeForm,
        do=resume_job,
        by_default="Resumed on the job's page.",
        done="Resumed.",
    ),
    "stop": Steer(
        form=ReasonForm,
        do=stop_job,
        done="Stopping. Chunks in progress finish first.",
    ),
    "approve": Steer(
        form=BriefForm,
        do=approve_job,
        by_default="Approved on the job's page.",
        done="Approved. The job starts with the frozen selection.",
        is_allowed=may_decide,
        why_not=why_not_decide,
    ),
    "refuse": Steer(
        form=ReasonForm,
        do=refuse_job,
        done="Refused. The job ended without any changes.",
        is_allowed=may_decide,
        why_not=why_not_decide,
    ),
    "rate": Steer(
        form=RateForm,
        do=change_rate,
        by_default="Changed on the job's page.",
        done="Rate changed. It applies from the next messages on.",
    ),
    "undo": Steer(
        form=ReasonForm,
        do=undo_job,
        done="Undo started. Messages that have changed again are skipped.",
    ),
    "retry": Steer(
        form=ReasonForm,
        do=retry_failed,
        done="Retry started. Failed messages whose state no longer allows it are skipped.",
    ),
}


@require_POST
@requires_permission(roles.CAN_VIEW_JOBS)
def steer_job(request: HttpRequest, job_id: int, name: str) -> HttpResponse:
    job = Job.objects.filter(pk=job_id).first()
    if job is None:
        raise Http404(f"No job has the id {job_id}.")
    steer = STEERS[name]
    if not steer.is_allowed(request.user, job):
        refuse_request(request, action=f"{name}_job", job_id=job_id, why=steer.why_not(request.user, job))
    form = STEERS[name].form(request.POST, auto_id=f"{name}_%s")
    if not form.is_valid():
        return page.job_page(request, job_id, forms={name: form}, status=400)
    password = password_for(request, progress_of(job), name, request.POST)
    if password and not password.is_valid():
        return page.job_page(request, job_id, forms={name: form}, passwords={name: password}, status=400)
    return _apply_steer(request, job, name, form)


def _apply_steer(request: HttpRequest, job: Job, name: str, form: forms.Form) -> HttpResponse:
    steer = STEERS[name]
    values = form.cleaned_data | {"reason": form.cleaned_data["reason"] or steer.by_default}
    try:
        steered = steer.do(job_id=job.pk, actor=actor_of(request), **values)
    except InvalidJob as invalid:
        for error in invalid.errors:
            form.add_error(error.field if error.field in form.fields else None, error.message)
        return page.job_page(request, job.pk, forms={name: form}, status=400)
    except (JobConflict, AlreadyRunning) as conflict:
        form.add_error(None, str(conflict))
        return page.job_page(request, job.pk, forms={name: form}, status=409)
    notices.success(request, steer.done)
    return redirect("job-detail", job_id=steered.pk)


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
@takes_parameters(*LEDGER_PARAMETERS)
def job_page(request: HttpRequest, job_id: int) -> HttpResponse:
    return page.job_page(request, job_id)


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
@takes_parameters(*LEDGER_PARAMETERS, "samples", "phase", "current_status")
def progress_part(request: HttpRequest, job_id: int) -> HttpResponse:
    """
    Render the parts of a job's page that refresh. The address includes the part of the ledger that is shown.

    If the buttons change too, this includes the top of the page; when the job has ended, the whole page.
    """
    samples, phase, shown_status = _take_from_query(request, "samples", "phase", "current_status")
    progress = page.job_or_404(job_id)
    if page.is_steady(progress.job):
        return _instead_of("#content", page.job_page(request, job_id))
    context = page.live_context(request, progress, samples=samples)
    context["current_status_is_new"] = context["has_current_status"] and not shown_status
    if context["current_status_is_new"] or phase != context["phase"]:
        context["chart"] = quick_status_chart(progress)
    if phase == context["phase"]:
        return render(request, "messages_app/jobs/_progress.html", context)
    context |= page.phase_context(progress, request.user) | {"is_other_phase": True}
    return _instead_of("#job-top", render(request, "messages_app/jobs/_progress.html", context))


def _take_from_query(request: HttpRequest, *names: str) -> list[str]:
    """
    Remove these parameters from the request and return them, because links are made from the remaining ones.
    """
    params = request.GET.copy()
    values = [params.pop(name, [""])[-1] for name in names]
    request.GET = params  # type: ignore[assignment]  # the type is of what Django sets
    return values


def _instead_of(element: str, response: HttpResponse) -> HttpResponse:
    """Let the response replace a larger element than the one that requested it."""
    response.headers["HX-Retarget"] = element
    response.headers["HX-Reselect"] = element
    response.headers["HX-Reswap"] = "outerHTML"
    return response


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
def current_status_part(request: HttpRequest, job_id: int) -> HttpResponse:
    """
    Render the current status of the job's messages, as a part of the page or, without scripts, as a page.
    """
    job = page.job_or_404(job_id).job
    template = "_current_status.html" if "HX-Request" in request.headers else "current_status.html"
    chart = status_chart_of(job)
    response = render(request, f"messages_app/jobs/{template}", {"job": job, "chart": chart})
    old_mark = request.headers.get("HX-Trigger", "")
    if old_mark.startswith(MARK) and old_mark != chart.mark:
        response.headers["HX-Trigger"] = "states-changed"  # the ledger of the page is loaded again
    return response


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
@takes_parameters(OUTCOME, NOW)
def ledger_file(request: HttpRequest, job_id: int) -> StreamingHttpResponse:
    job = page.job_or_404(job_id).job
    if has_hidden_messages(job, request.user):
        refuse_request(request, action="download_ledger", is_reading=True, job_id=job_id)
    lines = ledger_lines(job, outcome_asked(request.GET), end_asked(request.GET))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="job-{job_id}-ledger.csv"'
    return response


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
def download_export(request: HttpRequest, job_id: int) -> HttpResponseBase:
    job = get_object_or_404(Job, pk=job_id)
    if not may_download(request.user, job):
        refuse_request(request, action="download_export", is_reading=True, job_id=job_id)
    try:
        return send_file(job, offer_file(job), actor=actor_of(request))
    except (FileIsGone, FileOutOfReach) as error:
        raise error.as_problem() from None
    except NoFile as none:
        raise Http404(str(none)) from none
