"""The pages of schedules: all of them, a new one, one to change or remove."""

from django.contrib import messages as notices
from django.forms import CheckboxInput
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import refuse, requires
from messages_app.jobs.asking.options import OPTIONS
from messages_app.jobs.asking.query_strings import filter_of_query
from messages_app.jobs.asking.refusals import InvalidJob
from messages_app.jobs.asking.rights import CAN_SCHEDULE
from messages_app.jobs.asking.searches import is_withheld
from messages_app.jobs.scheduling import services
from messages_app.jobs.scheduling.forms import TimesForm
from messages_app.jobs.scheduling.models import JobSchedule
from messages_app.jobs.scheduling.pages import schedule_rows
from messages_app.jobs.scheduling.today import messages_today
from messages_app.jobs.showing.words import KIND_WORDS, filter_words, list_query
from messages_app.jobs.starting.forms import FORMS, NewJobForm, as_form_values
from messages_app.jobs.states import JobKind

_LIST = "messages_app/jobs/schedules/list.html"
_FORM = "messages_app/jobs/schedules/form.html"
_TODAY = "messages_app/jobs/schedules/_today.html"
_TODAY_PAGE = "messages_app/jobs/schedules/today.html"
# A browser that comes back to the list does not have everything counted again.
_KEPT_SECONDS = 60


@require_safe
@requires(roles.CAN_VIEW_JOBS)
def schedule_list(request: HttpRequest) -> HttpResponse:
    context = {"rows": schedule_rows(request.user), "may_change": request.user.has_perm(CAN_SCHEDULE)}
    return render(request, _LIST, context)


@require_safe
@requires(roles.CAN_VIEW_JOBS)
@cache_control(private=True, max_age=_KEPT_SECONDS)
def schedule_today(request: HttpRequest, schedule_id: int) -> HttpResponse:
    """Answer how many messages a run now would change: for its place in the list, or as a page."""
    schedule = JobSchedule.objects.filter(pk=schedule_id).first()
    if schedule is None:
        raise Http404(f"No schedule has the id {schedule_id}.")
    template = _TODAY if "HX-Request" in request.headers else _TODAY_PAGE
    return render(request, template, {"schedule": schedule, "today": messages_today(schedule)})


@require_http_methods(["GET", "HEAD", "POST"])
@requires(roles.CAN_VIEW_JOBS)
def new_schedule(request: HttpRequest) -> HttpResponse:
    _check_right(request, "create_schedule")
    kind = request.GET.get("kind", JobKind.ARCHIVE)
    if kind not in OPTIONS:
        raise Http404(f"There are no jobs of kind {kind[:20]}.")
    if request.method == "POST":
        return _saved(request, kind)
    job = _job_form(request, kind)
    return _form_page(request, kind, job, TimesForm())


@require_http_methods(["GET", "HEAD", "POST"])
@requires(roles.CAN_VIEW_JOBS)
def change_schedule(request: HttpRequest, schedule_id: int) -> HttpResponse:
    _check_right(request, "change_schedule")
    schedule = JobSchedule.objects.filter(pk=schedule_id).first()
    if schedule is None or schedule.kind not in OPTIONS:
        raise Http404(f"No schedule has the id {schedule_id}.")
    if is_withheld(schedule.filter, request.user):
        refuse(request, action="change_schedule")
    if request.method == "POST":
        return _saved(request, schedule.kind, schedule)
    values = as_form_values(schedule.options) | {"reason": schedule.reason}
    times = TimesForm(initial=_times_of(schedule))
    return _form_page(
        request, schedule.kind, _job_form(request, schedule.kind, initial=values), times, schedule
    )


@require_POST
@requires(roles.CAN_VIEW_JOBS)
def delete_schedule(request: HttpRequest, schedule_id: int) -> HttpResponse:
    _check_right(request, "delete_schedule")
    try:
        services.delete_schedule(schedule_id=schedule_id, actor=actor_of(request), user=request.user)
    except services.ScheduleNotFound as error:
        raise Http404(str(error)) from error
    notices.success(request, "Removed. The jobs that it made stay.")
    return redirect("schedule-list")


def _check_right(request: HttpRequest, action: str) -> None:
    if not request.user.has_perm(CAN_SCHEDULE):
        refuse(request, action=action)


def _times_of(schedule: JobSchedule) -> dict[str, object]:
    return {
        "filter": list_query(schedule.filter),
        "cron": schedule.cron,
        "zone": schedule.zone,
        "enabled": schedule.enabled,
    }


def _job_form(request: HttpRequest, kind: str, **values: object) -> NewJobForm:
    form = FORMS[kind](*([request.POST] if request.method == "POST" else []), user=request.user, **values)
    if "total" in form.fields:  # hidden where a page of its own says what it means
        form.fields["total"].widget = CheckboxInput()
        form.fields["total"].label = "From scratch: every external call is made again"
    return form


def _saved(request: HttpRequest, kind: str, schedule: JobSchedule | None = None) -> HttpResponse:
    job, times = _job_form(request, kind), TimesForm(request.POST)
    if not (job.is_valid() & times.is_valid()):
        return _form_page(request, kind, job, times, schedule, status=400)
    try:
        saved = services.save_schedule(
            schedule_id=schedule.pk if schedule else None,
            kind=kind,
            filter=filter_of_query(times.cleaned_data["filter"]),
            options=job.options(),
            reason=job.cleaned_data["reason"],
            cron=times.cleaned_data["cron"],
            zone=times.cleaned_data["zone"],
            enabled=times.cleaned_data["enabled"],
            actor=actor_of(request),
            user=request.user,
        )
    except InvalidJob as invalid:
        job.take_errors(times.take_errors(invalid.errors))
        return _form_page(request, kind, job, times, schedule, status=400)
    except services.ScheduleNotFound as error:
        raise Http404(str(error)) from error
    notices.success(request, f"Schedule {saved.pk} is saved.")
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
        "words": KIND_WORDS[kind],
        "kinds": [(name, KIND_WORDS[name].name or KIND_WORDS[name].verb) for name in OPTIONS],
        "form": job,
        "times": times,
        "schedule": schedule,
        "filter_words": filter_words(schedule.kind, schedule.filter) if schedule else [],
    }
    return render(request, _FORM, context, status=status)
