"""The right to download the file of an export, and the reasons why there is no file."""

from dataclasses import dataclass

from django.http import FileResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase

from messages_app.access.actors import Caller
from messages_app.audit import services as audit
from messages_app.core.problems import Problem
from messages_app.jobs.exports import export_storage, file_name, file_of, jobs_with_file
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import has_hidden_messages, may_steer
from messages_app.shared.job_states import JobState
from spark_tasks.storage.faults import StorageFault
from spark_tasks.storage.files import Link

# The time to begin a download, not to finish it.
_LINK_SECONDS = 60
_AGAIN = "start the export again for a new one."
_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}


class NoFile(Exception):
    """There is no file to download. The message says why; `is_early` means that there may be a file later."""

    def __init__(self, text: str, *, is_early: bool = False) -> None:
        super().__init__(text)
        self.is_early = is_early


class FileIsGone(NoFile):
    def as_problem(self) -> Problem:
        return Problem(410, "gone", str(self))


class FileOutOfReach(NoFile):
    """The storage of the file does not answer or refuses."""

    def as_problem(self) -> Problem:
        return Problem(503, "storage_away", str(self))


@dataclass(frozen=True, kw_only=True)
class Offer:
    path: str
    name: str
    sha256: str
    content_type: str


def may_download(user: Caller, job: Job) -> bool:
    """
    Whether `user` may download the file: only the job's creator and administrators may.

    If it has payloads, or was found by a payload search, they also need the permission to view payloads.

    Source: docs/contributing/spec/promises.md, S-60, I-58.
    """
    return may_steer(user, job) and not has_hidden_messages(job, user)


def offer_file(job: Job) -> Offer:
    """
    Return the file of an export that is complete and still kept.

    Raises:
        FileIsGone: the file has expired, whether or not it has been removed yet.
        FileOutOfReach: its storage cannot be used.
        NoFile: there is no file.
    """
    if not spec_of(job.kind).makes_file or job.dry_run:
        raise NoFile(f"Job {job.pk} has no file.")
    if job.state != JobState.DONE:
        raise NoFile(
            f"Job {job.pk} is {job.state}; the file is available once it is done.",
            is_early=job.state not in {JobState.FAILED, JobState.STOPPED},
        )
    if removed_at := job.report.get("removed_at"):
        raise FileIsGone(f"The file was deleted on {removed_at[:10]}; {_AGAIN}")
    if not jobs_with_file([job.pk]):
        raise FileIsGone(f"The file has expired; {_AGAIN}")
    made, path = job.report["files"][0], file_of(job)
    try:
        is_whole = export_storage().size_of(path) == made["bytes"]
    except StorageFault as error:
        raise FileOutOfReach(f"The file cannot be read at the moment. {error}") from error
    except OSError:
        is_whole = False
    if not is_whole:
        raise NoFile(f"The file is missing; {_AGAIN}")
    return Offer(
        path=path, name=file_name(job), sha256=made["sha256"], content_type=_TYPES[job.options["format"]]
    )


def send_file(job: Job, offered: Offer, *, actor: audit.Actor) -> HttpResponseBase:
    """
    Send the file as an attachment that browsers do not display, and record the download in the audit log.

    A file in a bucket is sent by the store: the answer is a redirect to a link that ends soon.
    """
    storage = export_storage()
    audit.record_entry(
        actor=actor,
        action="download_export",
        job_id=job.pk,
        details={"file": offered.name, "sha256": offered.sha256},
    )
    local = storage.find_local(offered.path)
    if local is None:
        link = Link(name=offered.name, content_type=offered.content_type, seconds=_LINK_SECONDS)
        return HttpResponseRedirect(storage.make_link(offered.path, link))
    return FileResponse(
        local.open("rb"), as_attachment=True, filename=offered.name, content_type=offered.content_type
    )
