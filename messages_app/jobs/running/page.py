"""The page of one job: where it stands, what can be done about it, and its ledger."""

from collections.abc import Mapping

from django import forms as django_forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from messages_app.access.passwords import PasswordForm
from messages_app.audit.models import AuditEntry
from messages_app.jobs import queries
from messages_app.jobs.asking.rights import may_decide, may_steer
from messages_app.jobs.asking.searches import hides_messages, shown_filter
from messages_app.jobs.models import Job
from messages_app.jobs.queries import JobProgress
from messages_app.jobs.running.afterwards import afterwards_of
from messages_app.jobs.running.canary import canary_of
from messages_app.jobs.running.drift import drift_of
from messages_app.jobs.running.file import file_of
from messages_app.jobs.running.forms import RateForm, ReasonForm, ResumeForm
from messages_app.jobs.running.ledger import ledger_of, reason_bars
from messages_app.jobs.running.pace import pace_of
from messages_app.jobs.running.passwords import asked_passwords
from messages_app.jobs.running.situation import situation_of
from messages_app.jobs.services import STOPPABLE_STATES
from messages_app.jobs.showing.shares import percent_of, shares_of
from messages_app.jobs.showing.words import (
    KIND_WORDS,
    filter_words,
    kept_words,
    list_link,
    option_words,
    title_of,
)
from messages_app.jobs.states import FINAL_STATES, PAUSABLE_STATES, JobKind, JobState, PauseReason
from messages_app.web.clock import database_clock

# The audit has one entry a chunk besides; of so many the newest are looked through.
_ENTRIES_READ = 300
# What these have done goes on in the hub, or may be changed by somebody else.
_FOLLOWED = frozenset({JobKind.RESTART, JobKind.CANCEL, JobKind.REPROCESS})
_MOVING = frozenset({JobKind.ARCHIVE, JobKind.RESTORE, JobKind.ARCHIVE_HISTORY})


def job_page(
    request: HttpRequest,
    job_id: int,
    *,
    forms: Mapping[str, django_forms.Form] | None = None,
    passwords: Mapping[str, PasswordForm] | None = None,
    status: int = 200,
) -> HttpResponse:
    """Answer the page; `forms` and `passwords` are those that were filled in, by what they ask for."""
    progress = found(job_id)
    job = progress.job
    context = (
        live_context(request, progress)
        | phase_context(progress)
        | {
            "title": title_of(job),
            "words": filter_words(job.kind, shown_filter(job.filter, request.user)),
            "list_link": list_link(job.kind, shown_filter(job.filter, request.user)),
            "after": afterwards_of(progress),
            "file": file_of(job, request.user),
            "kept": kept_words(job.report),
            "tried": next(iter(forms or {}), ""),
            "passwords": asked_passwords(request, progress) | (passwords or {}),
        }
    )
    context["forms"] |= forms or {}
    return render(request, "messages_app/jobs/detail.html", context, status=status)


def found(job_id: int) -> JobProgress:
    """
    Return the job with its sums.

    Raises:
        Http404: there is no such job.
    """
    progress = queries.job_progress(job_id)
    if progress is None:
        raise Http404(f"No job has the id {job_id}.")
    return progress


def live_context(request: HttpRequest, progress: JobProgress, *, samples: str = "") -> dict[str, object]:
    """Return what the parts of the page show that are asked for again and again."""
    job, now = progress.job, database_clock()
    may, is_hidden = may_steer(request.user, job), hides_messages(job, request.user)
    return {
        "progress": progress,
        "job": job,
        "kind": KIND_WORDS.get(job.kind),
        "is_live": not is_steady(job),
        "phase": phase_of(job),
        "asked": _asked(request),
        "percent": percent_of(progress),
        "shares": shares_of(progress),
        "pace": pace_of(progress, now=now, samples=samples),
        "situation": situation_of(progress, now=now),
        "canary": canary_of(job),
        "has_fates": job.kind in _FOLLOWED and progress.done > 0,
        "reasons": reason_bars(progress),
        "rows": sorted(_rows_by_table(progress).items()),
        "ledger": None if job.dry_run or is_hidden else ledger_of(progress, request.GET),
        "is_ledger_hidden": is_hidden,
        "may_steer": may,
        "may_pause": may and job.state in PAUSABLE_STATES and not job.dry_run,
        "may_resume": may and job.state == JobState.PAUSED,
        "has_to_be_confirmed": job.paused_for == PauseReason.CONFIRMATION,
        "may_stop": may and job.state in STOPPABLE_STATES and not is_steady(job),
        "may_decide": job.paused_for == PauseReason.SECOND_PERSON and may_decide(request.user, job),
    }


def is_steady(job: Job) -> bool:
    """Whether a job stays as it is: it has ended, or was a preview, which ends in `planned`."""
    return job.state in FINAL_STATES or (job.dry_run and job.state == JobState.PLANNED)


def phase_context(progress: JobProgress) -> dict[str, object]:
    """Return what the parts of the page show that change with the job's phase."""
    job = progress.job
    return {
        "forms": _steering_forms(job),
        "drift": drift_of(progress),
        "options": option_words(job.options),
        "doings": _doings(job),
    }


def _asked(request: HttpRequest) -> str:
    """Return the query string of the part of the ledger that the page shows."""
    return f"?{request.GET.urlencode()}" if request.GET else ""


def phase_of(job: Job) -> str:
    """Return what decides which buttons the page has."""
    return f"{job.state}:{job.paused_for}"


def _steering_forms(job: Job) -> dict[str, django_forms.Form]:
    """Return the forms that the page offers, empty."""
    return {
        "resume": ResumeForm(auto_id="resume_%s"),
        "stop": ReasonForm(auto_id="stop_%s"),
        "refuse": ReasonForm(auto_id="refuse_%s"),
        "rate": RateForm(initial={"rate": job.rate}, auto_id="rate_%s"),
        "undo": ReasonForm(auto_id="undo_%s"),
        "retry": ReasonForm(auto_id="retry_%s"),
    }


def _rows_by_table(progress: JobProgress) -> dict[str, int]:
    """Return how many rows moved, or would move, by live table; nothing of a job that moves none."""
    if progress.job.kind not in _MOVING:
        return {}
    return progress.job.report.get("would_move", {}) if progress.job.dry_run else progress.moved


def _doings(job: Job) -> list[AuditEntry]:
    """Return what people did with the job, first to last; the entries of its chunks are left out."""
    newest = AuditEntry.objects.filter(job_id=job.pk).order_by("-entry_id")[:_ENTRIES_READ]
    return [entry for entry in newest if entry.action != job.kind][::-1]
