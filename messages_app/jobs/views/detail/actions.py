"""What a job's page asks of it: pause, resume, stop, approve, refuse, another rate, undo, another try."""

from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from messages_app.access import roles
from messages_app.access.actors import Caller, actor_of
from messages_app.access.decorators import refuse, requires
from messages_app.jobs import services
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import progress_of
from messages_app.jobs.validation.permissions import may_decide, may_steer
from messages_app.jobs.views.detail.forms import BriefForm, RateForm, ReasonForm, ResumeForm, password_for
from messages_app.jobs.views.detail.page import job_page


@dataclass(frozen=True, kw_only=True)
class Steer:
    """
    One thing that a page asks of a job.

    Args:
        form: what goes with it.
        do: does it; takes the services' keywords, and the form's fields.
        by_default: the reason where none is asked for.
        done: what the page says then; that of the new job, where one is made.
        is_allowed: whose right it takes.
    """

    form: type[forms.Form]
    do: Callable[..., Job]
    done: str
    by_default: str = ""
    is_allowed: Callable[[Caller, Job], bool] = may_steer


STEERS = {
    "pause": Steer(
        form=BriefForm,
        do=services.pause_job,
        by_default="Paused on the job's page.",
        done="Paused. Chunks in progress finish first.",
    ),
    "resume": Steer(
        form=ResumeForm,
        do=services.resume_job,
        by_default="Resumed on the job's page.",
        done="Resumed.",
    ),
    "stop": Steer(
        form=ReasonForm,
        do=services.stop_job,
        done="Stopping. Chunks in progress finish first.",
    ),
    "approve": Steer(
        form=BriefForm,
        do=services.approve_job,
        by_default="Approved on the job's page.",
        done="Approved. The job starts with the frozen selection.",
        is_allowed=may_decide,
    ),
    "refuse": Steer(
        form=ReasonForm,
        do=services.refuse_job,
        done="Refused. The job ended without any changes.",
        is_allowed=may_decide,
    ),
    "rate": Steer(
        form=RateForm,
        do=services.change_rate,
        by_default="Changed on the job's page.",
        done="Rate changed. It applies from the next messages on.",
    ),
    "undo": Steer(form=ReasonForm, do=services.undo_job, done="This job undoes the other job."),
    "retry": Steer(
        form=ReasonForm,
        do=services.retry_failed,
        done="This job retries the failed messages of the other job where their state allows it.",
    ),
}


@require_POST
@requires(roles.CAN_VIEW_JOBS)
def steer(request: HttpRequest, job_id: int, name: str) -> HttpResponse:
    job = Job.objects.filter(pk=job_id).first()
    if job is None:
        raise Http404(f"No job has the id {job_id}.")
    if not STEERS[name].is_allowed(request.user, job):
        refuse(request, action=f"{name}_job", job_id=job_id)
    form = STEERS[name].form(request.POST)
    if not form.is_valid():
        return job_page(request, job_id, forms={name: form}, status=400)
    password = password_for(request, progress_of(job), name, request.POST)
    if password and not password.is_valid():
        return job_page(request, job_id, forms={name: form}, passwords={name: password}, status=400)
    return _steered(request, job, name, form)


def _steered(request: HttpRequest, job: Job, name: str, form: forms.Form) -> HttpResponse:
    steer = STEERS[name]
    values = form.cleaned_data | {"reason": form.cleaned_data["reason"] or steer.by_default}
    try:
        steered = steer.do(job_id=job.pk, actor=actor_of(request), **values)
    except services.InvalidJob as invalid:
        for error in invalid.errors:
            form.add_error(error.field if error.field in form.fields else None, error.message)
        return job_page(request, job.pk, forms={name: form}, status=400)
    except (services.JobConflict, services.AlreadyRunning) as conflict:
        form.add_error(None, str(conflict))
        return job_page(request, job.pk, forms={name: form}, status=409)
    notices.success(request, steer.done)
    return redirect("job-detail", job_id=steered.pk)
