"""The form of a new or an existing schedule, and its preview: the next runs, and their effect now."""

from collections.abc import Sequence
from typing import Any, cast

from django.contrib import messages as notices
from django.forms import CheckboxInput
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from messages_app.access.actors import actor_of, user_of
from messages_app.access.decorators import check_right, refuse_request
from messages_app.core.clock import database_clock
from messages_app.core.edit_versions import Difference, EditConflict, list_differences
from messages_app.core.kept_input import SHOWN, announce_choice, carried_values, is_choosing, keep_input
from messages_app.core.lists.side_list import SideLink, SideList, make_side_list
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.problems import Problem
from messages_app.jobs.errors import InvalidJob, NotAllowed
from messages_app.jobs.kinds.registry import kind_specs, spec_of
from messages_app.jobs.models import JobSchedule
from messages_app.jobs.permissions import CAN_SCHEDULE, is_withheld
from messages_app.jobs.schedules import services
from messages_app.jobs.schedules.forms import ScheduleForm
from messages_app.jobs.schedules.presets import describe_times
from messages_app.jobs.schedules.selectors import Today, count_now, schedule_page
from messages_app.jobs.schedules.times import cron_fault, next_runs, zone_fault
from messages_app.jobs.views.create.forms import NewJobForm, as_form_values
from messages_app.jobs.views.schedules import VIEWS, read_schedule, schedule_rows

_FOLDER = "messages_app/jobs/schedules"
_RUNS = 5


class _ScheduledJobForm(NewJobForm):
    """The options and the reason of the jobs of a schedule."""

    def __init__(self, kind: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(kind, *args, **kwargs)
        if "total" in self.fields:  # A hidden field on the page of a new job, which explains it.
            self.fields["total"].widget = CheckboxInput()
            self.fields["total"].label = "From scratch: every external call is made again"
        if "also_resent" in self.fields:
            self.fields["also_resent"].widget = CheckboxInput()
            self.fields["also_resent"].label = "Also messages that were corrected and resent"


@VIEWS.shows_and_takes_form
@takes_parameters("kind")
def new_schedule(request: HttpRequest) -> HttpResponse:
    check_right(request, CAN_SCHEDULE, action="create_schedule")
    kind = _kind_of_address(request)
    if is_choosing(request):
        return announce_choice(request, _render_kind(request, kind), f"kind={kind}")
    form = ScheduleForm(_data_of(request), kind=kind, user=user_of(request))
    if request.method == "POST":
        return _save_schedule(request, kind, form)
    return _render_form(request, kind, _job_form(request, kind), form)


def _render_kind(request: HttpRequest, kind: str) -> HttpResponse:
    """Show the fields of the chosen kind of job with what was typed for another one."""
    user, typed = user_of(request), request.POST
    before = typed.get(SHOWN, "")
    before = before if before in kind_specs else kind
    times, job = ScheduleForm(kind=kind, user=user), _ScheduledJobForm(kind, user=user)
    keep_input(times, typed, sent_fields=times.fields)
    keep_input(job, typed, sent_fields=_ScheduledJobForm(before, user=user).fields)
    return _render_form(request, kind, job, times)


@VIEWS.shows_and_takes_form
def change_schedule(request: HttpRequest, schedule_id: int) -> HttpResponse:
    check_right(request, CAN_SCHEDULE, action="change_schedule")
    schedule = read_schedule(schedule_id)
    if schedule.kind not in kind_specs:
        raise Http404(f"No schedule has the id {schedule_id}.")
    if is_withheld(schedule.filter, request.user):
        refuse_request(request, action="change_schedule")
    times, job = _stored_forms(request, schedule)
    if request.method == "POST":
        times = ScheduleForm(request.POST, kind=schedule.kind, user=user_of(request), schedule=schedule)
        return _save_schedule(request, schedule.kind, times, schedule)
    return _render_form(request, schedule.kind, job, times, schedule)


def _stored_forms(request: HttpRequest, schedule: JobSchedule) -> tuple[ScheduleForm, NewJobForm]:
    """Return the forms of a stored schedule: of its times and messages, and of the options of its jobs."""
    values = as_form_values(schedule.kind, schedule.options) | {"reason": schedule.reason}
    times = ScheduleForm(kind=schedule.kind, user=user_of(request), schedule=schedule)
    return times, _ScheduledJobForm(schedule.kind, user=user_of(request), initial=values)


@VIEWS.takes_form
@takes_parameters("kind")
def preview_schedule(request: HttpRequest) -> HttpResponse:
    """Render the next runs of a form and their effect now, as a part of the form or as a page."""
    check_right(request, CAN_SCHEDULE, action="create_schedule")
    kind = _kind_of_address(request)
    form = ScheduleForm(request.POST, kind=kind, user=user_of(request))
    form.is_valid()
    context = _preview_times(form) | {"today": _count_messages(request, kind, form), "is_counted": True}
    template = "_preview" if "HX-Request" in request.headers else "preview"
    return render(request, f"{_FOLDER}/{template}.html", context)


def _kind_of_address(request: HttpRequest) -> str:
    kind = request.POST.get("kind") or request.GET.get("kind", next(iter(kind_specs)))
    if kind not in kind_specs:
        raise Http404(f"Unknown kind of job: {kind[:20]}.")
    return kind


def _data_of(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


def _job_form(request: HttpRequest, kind: str, **values: Any) -> NewJobForm:
    data = [request.POST] if request.method == "POST" else []
    return _ScheduledJobForm(kind, *data, user=request.user, **values)


def _save_schedule(
    request: HttpRequest, kind: str, form: ScheduleForm, schedule: JobSchedule | None = None
) -> HttpResponse:
    job = _job_form(request, kind)
    if not (job.is_valid() & form.is_valid()):
        return _render_form(request, kind, job, form, schedule, status=400)
    try:
        saved = services.save_schedule(
            schedule_id=schedule.pk if schedule else None,
            kind=kind,
            options=job.options(),
            reason=job.cleaned_data["reason"],
            **form.read_values(),
            version=form.cleaned_data["version"] if schedule else None,
            actor=actor_of(request),
            user=request.user,
        )
    except InvalidJob as invalid:
        job.take_errors(form.take_errors(invalid.errors))
        return _render_form(request, kind, job, form, schedule, status=400)
    except services.ScheduleNotFound as error:
        raise Http404(str(error)) from error
    except EditConflict:
        return _show_conflict(request, job, form, cast(JobSchedule, schedule))
    notices.success(request, f"Schedule {saved.pk} saved.")
    return redirect("schedule-list")


def _show_conflict(
    request: HttpRequest, job: NewJobForm, form: ScheduleForm, schedule: JobSchedule
) -> HttpResponse:
    """Show what was sent, and what someone else has stored since the form was shown."""
    schedule = read_schedule(schedule.pk)
    times, options = _stored_forms(request, schedule)
    differences = list_differences([(form, times), (job, options)])
    return _render_form(request, schedule.kind, job, form, schedule, status=409, differences=differences)


def _render_form(
    request: HttpRequest,
    kind: str,
    job: NewJobForm,
    form: ScheduleForm,
    schedule: JobSchedule | None = None,
    status: int = 200,
    differences: Sequence[Difference] | None = None,
) -> HttpResponse:
    context = {
        "kind": kind,
        "words": spec_of(kind).words,
        "kinds": [(spec.kind, spec.words.heading) for spec in kind_specs.values()],
        "carried": _carry_options(request, job),
        "is_choosing": is_choosing(request),
        "form": job,
        "times": form,
        "schedule": schedule,
        "differences": differences,
        "side_list": _list_others(request, schedule),
        **_preview_times(form),
    }
    return render(request, f"{_FOLDER}/form.html", context, status=status)


def _list_others(request: HttpRequest, schedule: JobSchedule | None) -> SideList:
    """Return the newest schedules for the left of a form."""
    links = (
        SideLink(
            address=reverse("schedule", args=[row.schedule.pk]),
            title=row.name,
            second=row.times if row.schedule.enabled else "paused",
            is_open=schedule is not None and row.schedule.pk == schedule.pk,
        )
        for row in schedule_rows(schedule_page().rows, request.user)
    )
    return make_side_list("Schedules", reverse("schedule-list"), links)


def _carry_options(request: HttpRequest, job: NewJobForm) -> list[tuple[str, str]]:
    """Return the options that were typed for other kinds of jobs, as (name, value)."""
    names = sorted({name for spec in kind_specs.values() for name in spec.options})
    return carried_values(request.POST, names=names, forms_shown=[job])


def _preview_times(form: ScheduleForm) -> dict[str, object]:
    """Return the next runs by the values of a form, or the errors of the times."""
    cron, zone = form.read_times()
    faults = [fault.message for fault in (cron and cron_fault(cron), zone_fault(zone)) if fault]
    if not cron or faults:
        return {"faults": faults or ["The times are not complete."], "runs": []}
    runs = next_runs(cron, zone, now=database_clock(), count=_RUNS)
    return {"words_of_times": describe_times(cron), "zone": zone, "runs": runs, "faults": []}


def _count_messages(request: HttpRequest, kind: str, form: ScheduleForm) -> Today:
    """Return what a run now would do by the values of a form, for this user."""
    job = _job_form(request, kind)
    job.is_valid()
    faults = [*job.errors, *({"view", "line"} & form.errors.keys())]
    if [name for name in faults if name != "reason"]:
        return Today(messages=None, refusal="Correct the form first.")
    try:
        filter = form.cleaned_data["filter"]
        return count_now(kind=kind, filter=filter, options=job.options(), user=request.user)
    except (NotAllowed, Problem) as refusal:
        return Today(messages=None, refusal=str(refusal))
