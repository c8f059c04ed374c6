"""The page of the archive: its size, its latest jobs, and a form for a new one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.decorators import requires_permission
from messages_app.jobs.kinds.registry import ARCHIVE, kinds_of, refusal_of_kind, spec_of
from messages_app.jobs.models import Job
from messages_app.jobs.views.create.forms import (
    NewJobForm,
)
from messages_app.jobs.views.lists import job_lines
from messages_app.messages.archive_totals import archive_totals

_RECENT = 10


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
def archive_page(request: HttpRequest) -> HttpResponse:
    moving = [kind for kind in kinds_of(ARCHIVE.store) if spec_of(kind).moves_rows]
    recent = [list(Job.objects.filter(kind=kind).order_by("-job_id")[:_RECENT]) for kind in moving]
    newest = sorted((job for jobs in recent for job in jobs), key=lambda job: -job.pk)[:_RECENT]
    context = {
        "spec": ARCHIVE,
        "form": NewJobForm(ARCHIVE.kind, user=request.user),
        "totals": archive_totals(),
        "lines": job_lines(newest, request.user),
        "may_archive": request.user.has_perm(ARCHIVE.permission),
        "refused": refusal_of_kind(ARCHIVE.kind),
    }
    return render(request, "messages_app/jobs/archive.html", context)
