"""The pages of schedules: the list, and to run, pause, resume or delete one. Forms: schedule_forms.py."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control

from messages_app.access import roles
from messages_app.access.actors import Caller, actor_of
from messages_app.access.decorators import PageViews, check_right
from messages_app.access.reauthentication import ask_password
from messages_app.core.clock import database_clock
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.parameters import read_choice
from messages_app.core.problems import Problem
from messages_app.core.reason_form import ReasonForm, reason_field
from messages_app.core.undo import Undo, offer_undo
from messages_app.jobs.errors import AlreadyRunning, InvalidJob, NotAllowed
from messages_app.jobs.kinds.registry import kind_specs, spec_of
from messages_app.jobs.labels import OLDER_THAN, describe_action, list_link, option_words
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.permissions import CAN_SCHEDULE, shown_filter, shown_options
from messages_app.jobs.schedules import services
from messages_app.jobs.schedules.presets import describe_times
from messages_app.jobs.schedules.runs import MAX_RUNS, check_run, run_now
from messages_app.jobs.schedules.selectors import messages_today, schedule_page
from messages_app.jobs.schedules.times import next_run
from messages_app.jobs.services.bulk_guard import is_password_required_for_set
from messages_app.messages.attachment import NotAttachedForThis

VIEWS = PageViews(roles.CAN_VIEW_JOBS)
_FOLDER = "messages_app/jobs/schedules"
_KIND, _STATE, _CURSOR = "kind", "state", "cursor"
_STATES = ("enabled", "paused")
# A browser that returns to the list shows the earlier counts for this long.
_KEPT_SECONDS = 60
_GONE = "deleted"


@dataclass(frozen=True, kw_only=True)
class RunDot:
    """
    A run of a schedule.

    Args:
        state: the state of its job now; without a job, "skipped" or "refused".
        job: the id of its job, or None.
    """

    at: datetime
    state: str
    job: int | None


@dataclass(frozen=True, kw_only=True)
class ScheduleRow:
    """
    Args:
        name: the action of its jobs and their set, in words.
        list_link: the address of the list with its filter; empty without a filter.
        options: the other given options, in words.
        times: the cron expression in words.
        next_run: the time of the next run; None while the schedule is paused.
        runs: the last runs, the oldest first.
        fault: why the last run made no job; empty if it did.
    """

    schedule: JobSchedule
    name: str
    list_link: str
    options: list[str]
    times: str
    next_run: datetime | None
    runs: list[RunDot]
    fault: str


def schedule_rows(schedules: Sequence[JobSchedule], user: Caller) -> list[ScheduleRow]:
    """Return schedules as `user` may see them, in the same order."""
    now = database_clock()
    states = _states_of_jobs(schedules)
    return [_row_of_schedule(schedule, user, now, states) for schedule in schedules]


def _states_of_jobs(schedules: Sequence[JobSchedule]) -> Mapping[int, str]:
    ids = {run["job"] for schedule in schedules for run in schedule.recent_runs if run["job"]}
    return dict(Job.objects.filter(pk__in=ids).values_list("job_id", "state"))


def _row_of_schedule(
    schedule: JobSchedule, user: Caller, now: datetime, states: Mapping[int, str]
) -> ScheduleRow:
    filter = shown_filter(schedule.filter, user)
    options = shown_options(schedule.kind, schedule.options, user)
    others = {name: value for name, value in options.items() if name != OLDER_THAN}
    has_made_job = schedule.last_outcome == f"Created job {schedule.last_job}."
    return ScheduleRow(
        schedule=schedule,
        name=describe_action(schedule.kind, filter, options),
        list_link=list_link(schedule.kind, filter) if filter else "",
        options=[f"{label} {value}" for label, value in option_words(schedule.kind, others)],
        times=describe_times(schedule.cron),
        next_run=next_run(schedule.cron, schedule.zone, now=now) if schedule.enabled else None,
        runs=[
            RunDot(
                at=datetime.fromisoformat(run["at"]),
                state=states.get(run["job"], _GONE) if run["job"] else run["outcome"],
                job=run["job"] if run["job"] in states else None,
            )
            for run in reversed(schedule.recent_runs[:MAX_RUNS])
        ],
        fault="" if has_made_job else schedule.last_outcome,
    )


@VIEWS.shows_page
@takes_parameters(_KIND, _STATE, _CURSOR)
def schedule_list(request: HttpRequest) -> HttpResponse:
    params = request.GET
    kind, state = read_choice(params, _KIND, kind_specs), read_choice(params, _STATE, _STATES)
    page = schedule_page(
        kind=kind, is_enabled=None if state is None else state == "enabled", cursor=params.get(_CURSOR)
    )
    context = {
        "page": page,
        "rows": schedule_rows(page.rows, request.user),
        "may_change": request.user.has_perm(CAN_SCHEDULE),
        "kinds": [("", "Any kind"), *((spec.kind, spec.name) for spec in kind_specs.values())],
        "states": [("", "Enabled or paused"), *((each, each.capitalize()) for each in _STATES)],
        "kind": kind or "",
        "state": state or "",
        "is_narrowed": any((kind, state, params.get(_CURSOR))),
    }
    return render(request, f"{_FOLDER}/list.html", context)


@cache_control(private=True, max_age=_KEPT_SECONDS)
@VIEWS.shows_page
def schedule_today(request: HttpRequest, schedule_id: int) -> HttpResponse:
    """Render the number of messages that a run now would change, as a part of the list or as a page."""
    schedule = read_schedule(schedule_id)
    template = "_today" if "HX-Request" in request.headers else "today"
    context = {"schedule": schedule, "today": messages_today(schedule)}
    return render(request, f"{_FOLDER}/{template}.html", context)


class DeleteForm(ReasonForm):
    """Asks why a schedule is deleted; without an answer, the reason of its jobs is recorded."""

    reason = reason_field(required=False)


@VIEWS.shows_and_takes_form
def delete_schedule(request: HttpRequest, schedule_id: int) -> HttpResponse:
    """Ask, and delete a schedule."""
    check_right(request, CAN_SCHEDULE, action="delete_schedule")
    schedule = read_schedule(schedule_id)
    form = DeleteForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _render_question(request, "delete", schedule, form=form, status=400 if form.errors else 200)
    try:
        services.delete_schedule(
            schedule_id=schedule_id, actor=actor_of(request), user=request.user, **form.cleaned_data
        )
    except services.ScheduleNotFound as error:
        raise Http404(str(error)) from error
    notices.success(request, "Schedule deleted. Its jobs are kept.")
    return redirect("schedule-list")


@VIEWS.shows_and_takes_form
def run_schedule_now(request: HttpRequest, schedule_id: int) -> HttpResponse:
    """Ask with the number of messages, and create the job of a schedule."""
    check_right(request, CAN_SCHEDULE, action="run_schedule")
    schedule = read_schedule(schedule_id)
    if request.method != "POST":
        return _render_question(request, "run", schedule)
    try:
        needs_password = is_password_required_for_set(check_run(schedule, request.user))
        if needs_password and (question := ask_password(request)):
            return question
        job = run_now(schedule_id=schedule_id, actor=actor_of(request), user=request.user)
    except services.ScheduleNotFound as error:
        raise Http404(str(error)) from error
    except (InvalidJob, NotAllowed, NotAttachedForThis, AlreadyRunning) as refusal:
        return _render_question(request, "run", schedule, refusal=str(refusal), status=409)
    except Problem as problem:
        return _render_question(request, "run", schedule, refusal=problem.detail, status=problem.status)
    return redirect("job-detail", job_id=job.pk)


@VIEWS.takes_form
def pause_schedule(request: HttpRequest, schedule_id: int) -> HttpResponse:
    check_right(request, CAN_SCHEDULE, action="change_schedule")
    read_schedule(schedule_id)
    try:
        services.pause_schedule(schedule_id=schedule_id, actor=actor_of(request), user=request.user)
    except services.ScheduleNotFound:
        notices.info(request, "The schedule was paused already.")
        return redirect("schedule-list")
    undo = Undo(address=reverse("schedule-resume", args=[schedule_id]), fields={})
    offer_undo(request, "Schedule paused.", undo)
    return redirect("schedule-list")


@VIEWS.takes_form
def resume_schedule(request: HttpRequest, schedule_id: int) -> HttpResponse:
    check_right(request, CAN_SCHEDULE, action="change_schedule")
    if read_schedule(schedule_id).enabled:
        notices.info(request, "The schedule was enabled already.")
        return redirect("schedule-list")
    try:
        services.resume_schedule(schedule_id=schedule_id, actor=actor_of(request), user=request.user)
    except services.ScheduleNotFound as error:
        raise Http404(str(error)) from error
    except (InvalidJob, NotAllowed, NotAttachedForThis) as refusal:
        notices.error(request, f"The schedule cannot be resumed: {refusal}")
        return redirect("schedule-list")
    undo = Undo(address=reverse("schedule-pause", args=[schedule_id]), fields={})
    offer_undo(request, "Schedule resumed.", undo)
    return redirect("schedule-list")


def read_schedule(schedule_id: int) -> JobSchedule:
    """Return the schedule of a page. Raises Http404."""
    schedule = JobSchedule.objects.filter(pk=schedule_id).first()
    if schedule is None:
        raise Http404(f"No schedule has the id {schedule_id}.")
    return schedule


def _render_question(
    request: HttpRequest,
    what: str,
    schedule: JobSchedule,
    *,
    form: DeleteForm | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        "schedule": schedule,
        "words": spec_of(schedule.kind).words,
        "name": spec_of(schedule.kind).name,
        "times": describe_times(schedule.cron),
        "form": form,
        "refusal": refusal,
        "today": messages_today(schedule) if what == "run" else None,
    }
    return render(request, f"{_FOLDER}/{what}.html", context, status=status)
