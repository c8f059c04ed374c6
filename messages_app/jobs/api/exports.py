"""The file of an export over REST; the job's report has the address."""

from django.http import FileResponse
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ApiView
from messages_app.access.decorators import refuse
from messages_app.core.api_schema import READING_ONE, refusals
from messages_app.core.problems import Problem, not_found
from messages_app.jobs.api.actions import found_job
from messages_app.jobs.exports.offers import FileIsGone, NoFile, may_download, offer, send

# By media type, without its charset. Clients that are generated read the first type that they know.
_FILES = {
    "text/csv": {"type": "string"},
    "application/x-ndjson": {"type": "string"},
    "application/vnd.apache.parquet": {"type": "string", "format": "binary"},
}


class DownloadView(ApiView):
    rights = {"GET": roles.CAN_VIEW_JOBS}

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[BaseRenderer, str]:
        """Take any Accept: the file has the format that the job was asked for."""
        return JSONRenderer(), JSONRenderer.media_type

    @extend_schema(
        responses={(200, kind): shape for kind, shape in _FILES.items()} | refusals((*READING_ONE, 409, 410))
    )
    def get(self, request: Request, job_id: str) -> FileResponse:
        """Download the file of an export that is done."""
        job = found_job(job_id)
        if not may_download(request.user, job):
            refuse(request, action="download_export", is_reading=True, job_id=job.pk)
        try:
            return send(job, offer(job), actor=actor_of(request))
        except FileIsGone as gone:
            raise gone.problem() from None
        except NoFile as none:
            if none.is_early:
                extra = {"current_state": job.state}
                raise Problem(409, "state_conflict", str(none), extra=extra) from None
            raise not_found(str(none)) from None
