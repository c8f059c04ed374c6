"""The pages of schedules: list, create, change, remove."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cron_descriptor import CasingTypeEnum, Options, get_description
from django import forms
from django.contrib import messages as notices
from django.forms import CheckboxInput
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import Caller, actor_of
from messages_app.access.decorators import refuse_request, requires_permission
from messages_app.core.clock import database_clock
from messages_app.core.problems import FieldError
from messages_app.jobs.errors import InvalidJob
from messages_app.jobs.kinds.registry import kind_specs, spec_of
from messages_app.jobs.labels import filter_words, list_link, list_query, option_words
from messages_app.jobs.models import JobSchedule
from messages_app.jobs.permissions import CAN_SCHEDULE, is_withheld, shown_filter, shown_options
from messages_app.jobs.schedules import services
from messages_app.jobs.schedules.selectors import messages_today
from messages_app.jobs.schedules.times import MAX_CRON, next_run
from messages_app.jobs.validation import filter_of_query
from messages_app.jobs.views.create.forms import NewJobForm, as_form_values
from messages_app.messages.attachment import time_zone

_CODE = {"class": "u-code", "spellcheck": "false", "autocomplete": "off"}


class TimesForm(forms.Form):
    """The fields of a schedule except the options and the reason of its jobs. Services check them."""

    filter = forms.CharField(
        required=False,
        strip=False,
        label="Filter",
        widget=forms.Textarea(attrs={"rows": 2, **_CODE}),
        help_text=(
            "The query of the list address, e.g. state=FAILED&service_name=billing. Times can be relative"
            " to each run: receive_timestamp_from=-7d, -24h, today."
        ),
    )
    cron = forms.CharField(
        label="Times (cron)",
        max_length=MAX_CRON,
        initial="30 2 * * *",
        widget=forms.TextInput(attrs=_CODE),
        help_text=(
            "Minute, hour, day of month, month, day of week. 30 2 * * * is every night at 02:30;"
            " 0 6 * * mon-fri every working day at 06:00. If both days are given, both must match."
        ),
        error_messages={"required": "Enter the times."},
    )
    zone = forms.CharField(
        label="Time zone",
        max_length=64,
        widget=forms.TextInput(attrs=_CODE),
        help_text="Such as Europe/Prague or UTC.",
    )
    enabled = forms.BooleanField(required=False, initial=True, label="Enabled")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["zone"].initial = time_zone()

    def take_errors(self, errors: Iterable[FieldError]) -> list[FieldError]:
        """Show the errors of services next to their fields. Return the other errors."""
        mine = [error for error in errors if error.field.split(".")[0] in self.fields]
        for error in mine:
            self.add_error(error.field.split(".")[0], error.message)
        return [error for error in errors if error not in mine]


_WORDS = Options()
_WORDS.use_24hour_time_format = True
_WORDS.casing_type = CasingTypeEnum.Sentence

# The number of newest schedules that are shown.
_MAX_ROWS = 200


@dataclass(frozen=True, kw_only=True)
class ScheduleRow:
    """
    Args:
        name: the kind of its jobs, in words.
        filter_words: (label, value) of each part of the filter; list_link: the address of the list with it.
        options: the given options, in words.
        times: the cron line in words.
        next_run: the time of the next run; None while the schedule is disabled.
        has_made_job: whether the last run created the latest job.
    """

    schedule: JobSchedule
    name: str
    filter_words: list[tuple[str, str]]
    list_link: str
    options: list[str]
    times: str
    next_run: datetime | None
    has_made_job: bool


def schedule_rows(user: Caller) -> list[ScheduleRow]:
    """Return the schedules as `user` may see them, newest first."""
    now = database_clock()
    return [
        _row_of_schedule(schedule, user, now)
        for schedule in JobSchedule.objects.order_by("-schedule_id")[:_MAX_ROWS]
    ]


def _row_of_schedule(schedule: JobSchedule, user: Caller, now: datetime) -> ScheduleRow:
    filter = shown_filter(schedule.filter, user)
    options = shown_options(schedule.kind, schedule.options, user)
    return ScheduleRow(
        schedule=schedule,
        name=spec_of(schedule.kind).name,
        filter_words=filter_words(schedule.kind, filter),
        list_link=list_link(schedule.kind, filter),
        options=[f"{label} {value}" for label, value in option_words(schedule.kind, options)],
        times=get_description(schedule.cron, _WORDS),
        next_run=next_run(schedule.cron, schedule.zone, now=now) if schedule.enabled else None,
        has_made_job=schedule.last_outcome == f"Created job {schedule.last_job}.",
    )


_LIST = "messages_app/jobs/schedules/list.html"
_FORM = "messages_app/jobs/schedules/form.html"
_TODAY = "messages_app/jobs/schedules/_today.html"
_TODAY_PAGE = "messages_app/jobs/schedules/today.html"
# A browser that returns to the list shows the earlier counts for this long.
_KEPT_SECONDS = 60


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
def schedule_list(request: HttpRequest) -> HttpResponse:
    context = {"rows": schedule_rows(request.user), "may_change": request.user.has_perm(CAN_SCHEDULE)}
    return render(request, _LIST, context)


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
@cache_control(private=True, max_age=_KEPT_SECONDS)
def schedule_today(request: HttpRequest, schedule_id: int) -> HttpResponse:
    """Render the number of messages that a run now would change, as a part of the list or as a page."""
    schedule = JobSchedule.objects.filter(pk=schedule_id).first()
    if schedule is None:
        raise Http404(f"No schedule has the id {schedule_id}.")
    template = _TODAY if "HX-Request" in request.headers else _TODAY_PAGE
    return render(request, template, {"schedule": schedule, "today": messages_today(schedule)})


@require_http_methods(["GET", "HEAD", "POST"])
@requires_permission(roles.CAN_VIEW_JOBS)
def new_schedule(request: HttpRequest) -> HttpResponse:
    _check_right(request, "create_schedule")
    kind = request.GET.get("kind", next(iter(kind_specs)))
    if kind not in kind_specs:
        raise Http404(f"Unknown kind of job: {kind[:20]}.")
    if request.method == "POST":
        return _save_schedule(request, kind)
    job = _job_form(request, kind)
    return _form_page(request, kind, job, TimesForm())


@require_http_methods(["GET", "HEAD", "POST"])
@requires_permission(roles.CAN_VIEW_JOBS)
def change_schedule(request: HttpRequest, schedule_id: int) -> HttpResponse:
    _check_right(request, "change_schedule")
    schedule = JobSchedule.objects.filter(pk=schedule_id).first()
    if schedule is None or schedule.kind not in kind_specs:
        raise Http404(f"No schedule has the id {schedule_id}.")
    if is_withheld(schedule.filter, request.user):
        refuse_request(request, action="change_schedule")
    if request.method == "POST":
        return _save_schedule(request, schedule.kind, schedule)
    values = as_form_values(schedule.kind, schedule.options) | {"reason": schedule.reason}
    times = TimesForm(
        initial={**services.values_of_schedule(schedule), "filter": list_query(schedule.filter)}
    )
    return _form_page(
        request, schedule.kind, _job_form(request, schedule.kind, initial=values), times, schedule
    )


@require_POST
@requires_permission(roles.CAN_VIEW_JOBS)
def delete_schedule(request: HttpRequest, schedule_id: int) -> HttpResponse:
    _check_right(request, "delete_schedule")
    try:
        services.delete_schedule(schedule_id=schedule_id, actor=actor_of(request), user=request.user)
    except services.ScheduleNotFound as error:
        raise Http404(str(error)) from error
    notices.success(request, "Schedule removed. Its jobs are kept.")
    return redirect("schedule-list")


def _check_right(request: HttpRequest, action: str) -> None:
    if not request.user.has_perm(CAN_SCHEDULE):
        refuse_request(request, action=action)


def _job_form(request: HttpRequest, kind: str, **values: Any) -> NewJobForm:
    data = [request.POST] if request.method == "POST" else []
    form = NewJobForm(kind, *data, user=request.user, **values)
    if "total" in form.fields:  # This option is a hidden field on the page of a new job, which explains it.
        form.fields["total"].widget = CheckboxInput()
        form.fields["total"].label = "From scratch: every external call is made again"
    return form


def _save_schedule(request: HttpRequest, kind: str, schedule: JobSchedule | None = None) -> HttpResponse:
    job, times = _job_form(request, kind), TimesForm(request.POST)
    if not (job.is_valid() & times.is_valid()):
        return _form_page(request, kind, job, times, schedule, status=400)
    try:
        saved = services.save_schedule(
            schedule_id=schedule.pk if schedule else None,
            kind=kind,
            options=job.options(),
            reason=job.cleaned_data["reason"],
            **{**times.cleaned_data, "filter": filter_of_query(times.cleaned_data["filter"])},
            actor=actor_of(request),
            user=request.user,
        )
    except InvalidJob as invalid:
        job.take_errors(times.take_errors(invalid.errors))
        return _form_page(request, kind, job, times, schedule, status=400)
    except services.ScheduleNotFound as error:
        raise Http404(str(error)) from error
    notices.success(request, f"Schedule {saved.pk} saved.")
    return redirect("schedule-list")


def _form_page(
    request: HttpRequest,
    kind: str,
    job: NewJobForm,
    times: TimesForm,
    schedule: JobSchedule | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "kind": kind,
        "words": spec_of(kind).words,
        "kinds": [(spec.kind, spec.name) for spec in kind_specs.values()],
        "form": job,
        "times": times,
        "schedule": schedule,
        "filter_words": filter_words(schedule.kind, schedule.filter) if schedule else [],
    }
    return render(request, _FORM, context, status=status)
