"""The page of the archive: how full it is, its latest jobs, and the way to a new one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.jobs.asking.options import DEFAULT_MONTHS
from messages_app.jobs.listing.views import job_lines
from messages_app.jobs.models import Job
from messages_app.jobs.starting.forms import ArchiveForm
from messages_app.jobs.states import JobKind
from messages_app.messages.archive_totals import archive_totals

_RECENT = 10


@require_safe
@requires(roles.CAN_VIEW_JOBS)
def archive(request: HttpRequest) -> HttpResponse:
    kinds = (JobKind.ARCHIVE, JobKind.RESTORE)
    recent = [list(Job.objects.filter(kind=kind).order_by("-job_id")[:_RECENT]) for kind in kinds]
    newest = sorted((job for jobs in recent for job in jobs), key=lambda job: -job.pk)[:_RECENT]
    context = {
        "form": ArchiveForm(initial={"older_than_months": DEFAULT_MONTHS}, user=request.user),
        "totals": archive_totals(),
        "lines": job_lines(newest, request.user),
        "may_archive": request.user.has_perm(roles.CAN_ARCHIVE),
    }
    return render(request, "messages_app/jobs/archive.html", context)
