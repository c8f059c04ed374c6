"""The page of a new job: its preview, its options, and the start of the job."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages as notices
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from messages_app.access import roles
from messages_app.access.decorators import refuse_request, requires_permission
from messages_app.access.passwords import PasswordForm
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.problems import bad_field
from messages_app.jobs.errors import AlreadyRunning, InvalidJob
from messages_app.jobs.kinds.options import MANY
from messages_app.jobs.kinds.registry import refuse_kind, spec_of
from messages_app.jobs.labels import describe_set, filter_words, list_link
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import may_make
from messages_app.jobs.preview.deadline import Deadline, TimeIsUp
from messages_app.jobs.preview.estimates import NOTHING
from messages_app.jobs.preview.quick import SECONDS, preview_job
from messages_app.jobs.schedules.selectors import next_archive_runs
from messages_app.jobs.services.bulk_guard import is_password_required, is_password_required_for_set
from messages_app.jobs.views.create.estimate import Figures, figures_of, figures_of_job
from messages_app.jobs.views.create.forms import (
    FROM,
    KIND,
    REASON,
    Confirmation,
    InvalidConfirmation,
    JobAddress,
    NewJobForm,
    TypedNumberForm,
    accept_confirmation,
    as_form_values,
    check_right,
    default_values,
    kept_filter,
    new_confirmation,
    open_confirmation,
    read_address,
    values_for_many,
)
from messages_app.jobs.views.create.kinds import choose_kind
from messages_app.jobs.views.payload_changes import show_changes
from messages_app.shared.job_records import JobFilter
from messages_app.shared.job_states import JobState

_SHOWN = "shown"
_LOOK, _COUNT = "look", "count"
_REQUIRED = "required"
_COUNTED_FOR = "Counted before a decision."
# The page waits this long for its estimate. A longer one follows as a part of the page.
_FIRST_SECONDS = 0.05


class Missing(Enum):
    """Why a page has no estimate."""

    LATE = auto()
    TOO_SLOW = auto()


@require_http_methods(["GET", "HEAD", "POST"])
@requires_permission(roles.CAN_VIEW_JOBS)
@checks_parameters
def new_job(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        return _answer_confirmation(request)
    if not request.GET:
        return choose_kind(request)
    address = read_address(request)
    refuse_kind(address.kind)
    form = NewJobForm(address.kind, _with_defaults(address), user=request.user)
    return _preview_form(request, address.filter, form, counted_by=address.counted_by)


def _preview_form(
    request: HttpRequest, filter: JobFilter, form: NewJobForm, *, counted_by: Job | None = None
) -> HttpResponse:
    """Show what the job of a form would do, and what is wrong with its options."""
    form.fields[REASON].required = False
    if form.is_valid() or form.is_about_something:
        form.take_errors(error for error in form.find_errors() if error.code != _REQUIRED)
    status = 200 if form.is_about_something else 400
    return _render_new_job(request, filter, form, counted_by=counted_by, status=status)


def _with_defaults(address: JobAddress) -> dict[str, object]:
    """Return the values of the form, with defaults."""
    values = as_form_values(address.kind, address.values)
    present = {name: value for name, value in values.items() if value is not None}
    return default_values(address.kind) | present


def _answer_confirmation(request: HttpRequest) -> HttpResponse:
    try:
        sealed, is_old = open_confirmation(request.POST.get(_SHOWN, ""))
    except InvalidConfirmation as error:
        raise bad_field(_SHOWN, "invalid_value", str(error)) from None
    if not may_make(request.user, sealed.kind, {}):
        refuse_request(request, action=sealed.kind)
    kept_filter(request, sealed.kind, sealed.filter)
    form = NewJobForm(sealed.kind, request.POST, user=request.user)
    is_counting, is_looking = _COUNT in request.POST, _LOOK in request.POST
    form.fields[REASON].required = not (is_counting or is_looking)
    if not form.is_valid():
        return _render_new_job(request, sealed.filter, form, status=400)
    if is_looking:
        return _look_again(request, sealed, form)
    check_right(request, sealed.kind, form.options())
    if is_counting:
        return _count_messages(request, sealed, form)
    return _start_job(request, sealed, form, is_old=is_old)


def _look_again(request: HttpRequest, sealed: Confirmation, form: NewJobForm) -> HttpResponse:
    """Show the page again with the changed options, in an address unless they may be parts of payloads."""
    if form.spec.sensitive_options:
        return _preview_form(request, sealed.filter, form)
    names = [REASON] * bool(request.POST.get(REASON))
    names += [
        name
        for name, option in spec_of(sealed.kind).options.items()
        # An empty test batch is a decision, which the next page must not replace by its suggestion.
        if request.POST.get(name) or option.is_about or option.for_many is not None
    ]
    options = [(name, request.POST[name]) for name in names if name in request.POST]
    query = urlencode([(KIND, sealed.kind), *sealed.filter.items(), *options], doseq=True)
    return redirect(f"{reverse('job-new')}?{query}")


def _count_messages(request: HttpRequest, sealed: Confirmation, form: NewJobForm) -> HttpResponse:
    reason = form.cleaned_data[REASON] or _COUNTED_FOR
    try:
        job_id, _ = accept_confirmation(request, sealed, options=form.options(), reason=reason, dry_run=True)
    except InvalidJob as invalid:
        return _show_errors(request, sealed, form, invalid)
    return redirect(f"{reverse('job-new')}?{urlencode({FROM: job_id})}")


def _start_job(request: HttpRequest, sealed: Confirmation, form: NewJobForm, *, is_old: bool) -> HttpResponse:
    if fault := _fault_of_confirmation(request, sealed, form, is_old=is_old):
        form.add_error(None, fault)
        return _render_new_job(request, sealed.filter, form, status=409)
    typed = sealed.number_form(request.POST)
    if typed and not typed.is_valid():
        return _render_new_job(request, sealed.filter, form, typed=typed, status=400)
    password = _password_form(request, sealed, form)
    if password and not password.is_valid():
        return _render_new_job(request, sealed.filter, form, password=password, status=400)
    try:
        job_id, is_repeat = accept_confirmation(
            request, sealed, options=form.options(), reason=form.cleaned_data[REASON], dry_run=False
        )
    except InvalidJob as invalid:
        return _show_errors(request, sealed, form, invalid)
    except AlreadyRunning as running:
        form.add_error(None, str(running))
        return _render_new_job(request, sealed.filter, form, running=running.job_id, status=409)
    if is_repeat:
        notices.info(request, "Already started; no second job was created.")
    return redirect("job-detail", job_id=job_id)


def _password_form(request: HttpRequest, sealed: Confirmation, form: NewJobForm) -> PasswordForm | None:
    """Return the password form if the current set requires a password."""
    is_needed = is_password_required_for_set(form.as_request(sealed.filter))
    return PasswordForm(request.POST, request=request) if is_needed else None


def _fault_of_confirmation(
    request: HttpRequest, sealed: Confirmation, form: NewJobForm, *, is_old: bool
) -> str:
    """Return why the user must check the page again before the job starts; empty if they need not."""
    if is_old:
        return "The preview is more than 15 minutes old. Check the updated preview, then start the job."
    if form.options_of_set() != sealed.about:
        return "The options changed the selection. Check the updated preview, then start the job."
    return ""


def _show_errors(
    request: HttpRequest, sealed: Confirmation, form: NewJobForm, invalid: InvalidJob
) -> HttpResponse:
    form.take_errors(invalid.errors)
    return _render_new_job(request, sealed.filter, form, status=400)


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
def show_count(request: HttpRequest, job_id: int) -> HttpResponse:
    """Return the progress of the count or, when it has ended, the figures and what to confirm."""
    job = Job.objects.filter(pk=job_id, dry_run=True).first()
    if job is None:
        raise Http404(f"No preview has the id {job_id}.")
    check_right(request, job.kind, job.options)
    if job.state != JobState.PLANNED:
        return render(request, "messages_app/jobs/_counting.html", {"job": job, **_facts_of_counting(job)})
    form = NewJobForm(job.kind, as_form_values(job.kind, job.options), user=request.user)
    form.fields[REASON].required = False
    form.is_valid()
    figures = figures_of_job(job)
    context = _shown_context(request, kept_filter(request, job.kind, job.filter), form, figures)
    response = render(request, "messages_app/jobs/_counted.html", context)
    response.headers["HX-Retarget"] = "#figures"  # replaces the estimates
    return response


def _render_new_job(
    request: HttpRequest,
    filter: JobFilter,
    form: NewJobForm,
    *,
    counted_by: Job | None = None,
    running: int | None = None,
    password: PasswordForm | None = None,
    typed: TypedNumberForm | None = None,
    status: int = 200,
) -> HttpResponse:
    errors = form.find_set_errors() if form.is_about_something else []
    figures, missing = figures_of_job(counted_by) if counted_by else None, None
    if counted_by is None and form.is_about_something and not errors:
        figures, missing = _estimate_figures(request, filter, form)
    if figures and request.method == "GET" and FROM not in request.GET:
        form = _suggest_guards(request, form, figures)
    context: dict[str, Any] = _shown_context(request, filter, form, figures) | {
        "archive_runs": next_archive_runs(form.spec.kind) if form.spec.is_undone_by_schedules else [],
        "form": form,
        "lacking": next((error.message for error in errors if error.code == _REQUIRED), ""),
        "job": counted_by,
        "is_late": missing is Missing.LATE,
        "is_too_slow": missing is Missing.TOO_SLOW,
        "running": running,
        "other_total": _toggle_option(filter, form, "total"),
        "other_resent": _toggle_option(filter, form, "also_resent"),
        **(_facts_of_counting(counted_by) if counted_by else {}),
    }
    context["password"] = password or context["password"]
    if typed and typed.number == context["seen"].to_type:
        context["typed"] = typed
    return render(request, "messages_app/jobs/new.html", context, status=status)


def _estimate_figures(
    request: HttpRequest, filter: JobFilter, form: NewJobForm
) -> tuple[Figures | None, Missing | None]:
    """Return the figures of a quick preview, or why they are missing."""
    is_first = request.method == "GET" and "HX-Request" not in request.headers
    deadline = Deadline(_FIRST_SECONDS, gives_up=True) if is_first else Deadline(SECONDS)
    try:
        report = preview_job(form.as_request(filter), deadline)
    except TimeIsUp:
        return None, Missing.LATE
    except OperationalError:
        return None, Missing.TOO_SLOW
    return figures_of(report, kind=form.spec.kind, filter=filter), None


def _suggest_guards(request: HttpRequest, form: NewJobForm, figures: Figures) -> NewJobForm:
    """Return the form with a test batch for many messages, unless the address decides or is wrong."""
    guards = values_for_many(form.spec.kind)
    if form.errors or figures.to_do.shown_rows <= MANY or guards.keys() & request.GET.keys():
        return form
    suggested = NewJobForm(form.spec.kind, {**form.data, **guards}, user=request.user)
    suggested.fields[REASON].required = False
    suggested.is_valid()
    return suggested


def _shown_context(
    request: HttpRequest, filter: JobFilter, form: NewJobForm, figures: Figures | None
) -> dict[str, object]:
    to_do, spec = figures.to_do if figures else NOTHING, form.spec
    kind = spec.kind
    sealed = new_confirmation(kind=kind, filter=filter, about=form.options_of_set(), to_do=to_do)
    return {
        "spec": spec,
        "kind": spec.words,
        "total": bool(form.options().get("total")),
        "also_resent": bool(form.options().get("also_resent")),
        **describe_set(spec, form.options().get("older_than_months")),
        "words": filter_words(kind, filter),
        "list_link": list_link(kind, filter),
        "figures": figures,
        "changes": figures and show_changes(request, figures.changes, form.options()),
        "seen": sealed,
        "typed": sealed.number_form(),
        "password": PasswordForm(request=request) if is_password_required(kind, to_do.shown_rows) else None,
    }


def _facts_of_counting(job: Job) -> Mapping[str, bool]:
    return {"is_counting": job.state == JobState.PLANNING}


def _toggle_option(filter: JobFilter, form: NewJobForm, name: str) -> str:
    """Return the query string of the same job with one of its flags toggled; empty for kinds without it."""
    if name not in form.fields:
        return ""
    flags = [flag for flag in ("total", "also_resent") if bool(form.options().get(flag)) != (flag == name)]
    options = [(flag, "true") for flag in flags]
    return urlencode([(KIND, form.spec.kind), *filter.items(), *options], doseq=True)
