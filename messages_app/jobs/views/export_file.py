"""The file of an export as a download."""

from django.http import FileResponse, Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import refuse, requires
from messages_app.jobs.exports.offers import FileIsGone, NoFile, may_download, offer, send
from messages_app.jobs.models import Job


@require_safe
@requires(roles.CAN_VIEW_JOBS)
def download(request: HttpRequest, job_id: int) -> FileResponse:
    job = get_object_or_404(Job, pk=job_id)
    if not may_download(request.user, job):
        refuse(request, action="download_export", is_reading=True, job_id=job_id)
    try:
        return send(job, offer(job), actor=actor_of(request))
    except FileIsGone as gone:
        raise gone.problem() from None
    except NoFile as none:
        raise Http404(str(none)) from none
