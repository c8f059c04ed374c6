"""The page of the archive: the messages of each month, its size, its jobs, and a form for a new one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.decorators import requires_permission
from messages_app.core.badges import Tone
from messages_app.core.charts.bars import Share, make_shares
from messages_app.core.clock import database_clock
from messages_app.jobs.kinds.registry import ARCHIVE, RESTORE, kinds_of, refusal_of_kind, spec_of
from messages_app.jobs.models import Job
from messages_app.jobs.views.create.forms import (
    NewJobForm,
)
from messages_app.jobs.views.lists import job_lines
from messages_app.messages.archive_by_month import Month, count_months
from messages_app.messages.archive_totals import archive_totals

_RECENT = 10
# More months are in a second table, which is folded.
_MONTHS = 18
# Of a month that is offered for archiving: the shortest age that the job accepts.
_MIN_AGE = timedelta(days=31)
_TONES = {"live": Tone.ACTIVE, "archived": Tone.INACTIVE, "parquet": Tone.WAITING}


@dataclass(frozen=True, kw_only=True)
class MonthLine:
    """
    A month with its bar, and the queries of its messages and of jobs about them.

    Args:
        shares: of the messages of the largest month, by place.
        archive, restore: empty if no message of it can be archived or restored.
    """

    month: Month
    shares: list[Share]
    query: str
    archive: str
    restore: str


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
def archive_page(request: HttpRequest) -> HttpResponse:
    """Show where the messages of each month are, and what moves them."""
    moving = [kind for kind in kinds_of(ARCHIVE.store) if spec_of(kind).moves_rows]
    recent = [list(Job.objects.filter(kind=kind).order_by("-job_id")[:_RECENT]) for kind in moving]
    newest = sorted((job for jobs in recent for job in jobs), key=lambda job: -job.pk)[:_RECENT]
    by_month = count_months()
    lines = month_lines(by_month.months)
    refused = refusal_of_kind(ARCHIVE.kind)
    may_archive = request.user.has_perm(ARCHIVE.permission)
    context = {
        "months": lines[:_MONTHS],
        "earlier_months": lines[_MONTHS:],
        "unanalysed": by_month.unanalysed,
        "spec": ARCHIVE,
        "form": NewJobForm(ARCHIVE.kind, user=request.user),
        "totals": archive_totals(),
        "lines": job_lines(newest, request.user),
        "may_archive": may_archive,
        "refused": refused,
        "may_move": may_archive and not refused,
    }
    return render(request, "messages_app/jobs/archive.html", context)


def month_lines(months: Sequence[Month]) -> list[MonthLine]:
    """Return the months with bars, each as long as its share of the largest one."""
    largest = max((month.total for month in months), default=1)
    youngest = database_clock() - _MIN_AGE
    return [
        MonthLine(
            month=month,
            shares=make_shares([(_TONES[name], n) for name, n in month.messages.items()], whole=largest),
            query=_query_of(month, archived="any"),
            archive=_query_of(month, kind=ARCHIVE.kind, older_than_months=1)
            if month.messages["live"] and month.after <= youngest
            else "",
            restore=_query_of(month, kind=RESTORE.kind) if month.total > month.messages["live"] else "",
        )
        for month in months
    ]


def _query_of(month: Month, **more: object) -> str:
    last = month.after - timedelta(microseconds=1)
    times = {"receive_timestamp_from": month.first, "receive_timestamp_to": last}
    return urlencode(more | {name: time.strftime("%Y-%m-%dT%H:%M:%S.%fZ") for name, time in times.items()})
