"""The page of one job: its status, its actions and its ledger."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django import forms as django_forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from messages_app.access.actors import Caller
from messages_app.access.passwords import PasswordForm
from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.core.reason_form import ReasonForm
from messages_app.jobs import selectors
from messages_app.jobs.export_downloads import NoFile, may_download, offer_file
from messages_app.jobs.findings import has_findings, show_findings
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.labels import (
    filter_words,
    icon_of,
    kept_words,
    link_of_job,
    option_words,
    percent_of,
    shares_of,
    title_of,
    words_of,
)
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import (
    has_hidden_messages,
    may_decide,
    may_steer,
    shown_filter,
    shown_options,
)
from messages_app.jobs.selectors import JobProgress, progress_of_jobs
from messages_app.jobs.services.retry_undo import Deadline, undo_deadline
from messages_app.jobs.validation import CONFIRMED, TO_DO
from messages_app.jobs.views.detail.forms import RateForm, ResumeForm, make_password_forms
from messages_app.jobs.views.detail.ledger import ledger_of, reason_bars
from messages_app.jobs.views.detail.status_charts import canary_of, quick_status_chart
from messages_app.jobs.views.detail.status_message import situation_of
from messages_app.jobs.views.detail.throughput import pace_of
from messages_app.jobs.views.payload_changes import changes_of_job
from messages_app.shared.job_states import (
    FINAL_STATES,
    PAUSABLE_STATES,
    STOPPABLE_STATES,
    JobState,
    PauseReason,
)

# To continue such a job skips the guard that its creator asked for.
_WAITS_FOR_TEST_BATCH = {PauseReason.CANARY, PauseReason.CANARY_UNDECIDED}
# Smaller differences come from changes by the hub, or from an estimate.
_SHARE = 0.1
_MESSAGES = 20


@dataclass(frozen=True, kw_only=True)
class Drift:
    """`confirmed` is the number of messages that its creator agreed to change, `to_do` the actual number."""

    confirmed: int
    to_do: int


def drift_of(progress: JobProgress) -> Drift | None:
    """
    Return the confirmed and the actual number of messages if they differ much; otherwise None.

    Also None if the job waits for this confirmation, because its status message shows both numbers.
    """
    if progress.job.paused_for == PauseReason.CONFIRMATION:
        return None
    confirmed, to_do = (progress.job.report.get(name) for name in (CONFIRMED, TO_DO))
    if not isinstance(confirmed, int) or not isinstance(to_do, int):
        return None
    is_much = abs(to_do - confirmed) > max(_MESSAGES, _SHARE * max(confirmed, to_do))
    return Drift(confirmed=confirmed, to_do=to_do) if is_much else None


_MAX_FOLLOWERS = 10


@dataclass(frozen=True, kw_only=True)
class Afterwards:
    """
    Args:
        undo: the deadline for undoing it; None if there is nothing to undo, or nothing is left.
        may_retry: whether it has failed messages that can be retried.
        undone_by, retried_by: the jobs that undo it, or retry its failed messages, newest first.
    """

    undo: Deadline | None
    may_retry: bool
    undone_by: list[Job]
    retried_by: list[Job]


def afterwards_of(progress: JobProgress) -> Afterwards | None:
    """Return what can follow a job, and the jobs that did; None if it has not ended."""
    job = progress.job
    if job.state not in FINAL_STATES or job.dry_run:
        return None
    undone_by = _newest_jobs(undo_of=job.pk)
    return Afterwards(
        undo=undo_deadline(job) if progress.done and not _is_undone_by(undone_by) else None,
        may_retry=spec_of(job.kind).is_retryable and progress.failed > 0,
        undone_by=undone_by,
        retried_by=_newest_jobs(retry_of=job.pk),
    )


def _is_undone_by(jobs: Sequence[Job]) -> bool:
    """Whether one of these undos is active, or has reverted every message."""
    return any(
        undo.job.state not in FINAL_STATES
        or (undo.job.state == JobState.DONE and not undo.skipped and not undo.failed)
        for undo in progress_of_jobs(jobs)
    )


def _newest_jobs(**link: int) -> list[Job]:
    return list(Job.objects.filter(**link).order_by("-job_id")[:_MAX_FOLLOWERS])


@dataclass(frozen=True, kw_only=True)
class OfferedFile:
    """
    Args:
        why_not: why there is no file to download; empty if there is one.
        kept_until: the time when the file expires; None if there is no file.
    """

    name: str = ""
    rows: int = 0
    size: int = 0
    sha256: str = ""
    kept_until: datetime | None = None
    why_not: str = ""


def file_of(job: Job, user: Caller) -> OfferedFile | None:
    """
    Return the file of an export, or why it cannot be downloaded. Return None if the job makes no file, or has
    not made it yet.
    """
    if not spec_of(job.kind).makes_file or job.state != JobState.DONE:
        return None
    if not may_download(user, job):
        return OfferedFile(why_not="Only the creator of the export and administrators can download the file.")
    try:
        offer_file(job)
    except NoFile as none:
        return OfferedFile(why_not=str(none))
    made = job.report["files"][0]
    return OfferedFile(
        name=made["name"],
        rows=made["rows"],
        size=made["bytes"],
        sha256=made["sha256"],
        kept_until=datetime.fromisoformat(job.report["expires_at"]),
    )


# The number of newest audit entries that are searched, because the audit log also has one entry per chunk.
_ENTRIES_READ = 300
_STOPS = frozenset({"stop_job", "refuse_job"})


def job_page(
    request: HttpRequest,
    job_id: int,
    *,
    forms: Mapping[str, django_forms.Form] | None = None,
    passwords: Mapping[str, PasswordForm] | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the page; `forms` and `passwords` are the submitted forms by action."""
    progress = job_or_404(job_id)
    job = progress.job
    context = (
        live_context(request, progress)
        | phase_context(progress, request.user, forms)
        | {
            "title": title_of(job),
            "icon": icon_of(job),
            "changes": changes_of_job(request, job),
            "words": filter_words(job.kind, shown_filter(job.filter, request.user)),
            "list_link": link_of_job(job, shown_filter(job.filter, request.user)),
            "after": afterwards_of(progress),
            "chart": quick_status_chart(progress),
            "file": file_of(job, request.user),
            **_findings_context(job, request.user),
            "kept": kept_words(job.report),
            "tried": next(iter(forms or {}), ""),
            "passwords": {**make_password_forms(request, progress), **(passwords or {})},
        }
    )
    return render(request, "messages_app/jobs/detail.html", context, status=status)


def _findings_context(job: Job, user: Caller) -> dict[str, object]:
    """Return what an analysis found, if it has ended and the user may see what its filter found."""
    if job.state != JobState.DONE or not has_findings(job, user):
        return {}
    return {"has_findings": True, "findings": show_findings(job, user)}


def job_or_404(job_id: int) -> JobProgress:
    """
    Return the job with its sums.

    Raises:
        Http404: there is no such job.
    """
    progress = selectors.job_progress(job_id)
    if progress is None:
        raise Http404(f"No job has the id {job_id}.")
    return progress


def live_context(request: HttpRequest, progress: JobProgress, *, samples: str = "") -> dict[str, object]:
    """Return the context of the parts that refresh automatically."""
    job, now = progress.job, database_clock()
    may, is_hidden = may_steer(request.user, job), has_hidden_messages(job, request.user)
    return {
        "progress": progress,
        "job": job,
        "kind": words_of(job),
        "is_live": not is_steady(job),
        # Decides about the buttons of the page.
        "phase": f"{job.state}:{job.paused_for}",
        # The part of the ledger that is shown.
        "asked": f"?{request.GET.urlencode()}" if request.GET else "",
        "percent": percent_of(progress),
        "shares": shares_of(progress),
        "pace": pace_of(progress, now=now, samples=samples),
        "situation": situation_of(progress, now=now),
        "canary": canary_of(job),
        "has_current_status": spec_of(job.kind).is_followed and progress.done > 0,
        "reasons": reason_bars(progress),
        "rows": sorted(_rows_by_table(progress).items()),
        "ledger": None if job.dry_run or is_hidden else ledger_of(progress, request.GET),
        "has_ledger": not job.dry_run,
        "may_steer": may,
        "may_pause": may and job.state in PAUSABLE_STATES and not job.dry_run,
        "may_resume": may and job.state == JobState.PAUSED,
        "waits_for_test_batch": job.paused_for in _WAITS_FOR_TEST_BATCH,
        "has_to_be_confirmed": job.paused_for == PauseReason.CONFIRMATION,
        "may_stop": may and job.state in STOPPABLE_STATES and not is_steady(job),
        "may_decide": job.paused_for == PauseReason.SECOND_PERSON and may_decide(request.user, job),
    }


def is_steady(job: Job) -> bool:
    """Whether a job no longer changes: it has ended, or it is a dry run that is `planned`."""
    return job.state in FINAL_STATES or (job.dry_run and job.state == JobState.PLANNED)


def phase_context(
    progress: JobProgress, user: Caller, forms: Mapping[str, django_forms.Form] | None = None
) -> dict[str, object]:
    """Return the context that changes with the job's phase. `forms` are the submitted forms by action."""
    job = progress.job
    return {
        "forms": {**_steering_forms(job), **(forms or {})},
        "drift": drift_of(progress),
        "options": option_words(job.kind, shown_options(job.kind, job.options, user)),
        "activity": (activity := _activity_of(job)),
        "stopped_by": _find_stop(job, activity),
    }


def _steering_forms(job: Job) -> dict[str, django_forms.Form]:
    """Return the empty forms of the page."""
    return {
        "resume": ResumeForm(auto_id="resume_%s"),
        "stop": ReasonForm(auto_id="stop_%s"),
        "refuse": ReasonForm(auto_id="refuse_%s"),
        "rate": RateForm(initial={"rate": job.rate}, auto_id="rate_%s"),
        "undo": ReasonForm(auto_id="undo_%s"),
        "retry": ReasonForm(auto_id="retry_%s"),
    }


def _rows_by_table(progress: JobProgress) -> dict[str, int]:
    """Return the number of rows that moved or would move, by live table; empty if the kind moves no rows."""
    if not spec_of(progress.job.kind).moves_rows:
        return {}
    return progress.job.report.get("would_move", {}) if progress.job.dry_run else progress.moved


def _find_stop(job: Job, activity: Sequence[AuditEntry]) -> AuditEntry | None:
    """Return the entry about the user who has stopped or refused the job, or None."""
    stops = [
        entry for entry in activity if entry.action in _STOPS and entry.outcome == AuditEntry.Outcome.DONE
    ]
    return stops[-1] if stops and job.state == JobState.STOPPED else None


def _activity_of(job: Job) -> list[AuditEntry]:
    """Return the audit entries of the job, oldest first, without those of its chunks."""
    newest = AuditEntry.objects.filter(job_id=job.pk).order_by("-entry_id")[:_ENTRIES_READ]
    return [entry for entry in newest if entry.action != job.kind][::-1]
