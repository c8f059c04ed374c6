"""
The files of exports: their folders, the right to download them, and their removal.

No part of a path comes from a caller.
"""

import logging
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.http import FileResponse

from messages_app.access.actors import Caller
from messages_app.audit import services as audit
from messages_app.core.problems import Problem
from messages_app.core.statements import Statements
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import hides_messages, may_steer
from messages_app.shared.job_states import FINAL_STATES, JobState
from spark_tasks.exports.files import PART, remove_folder

statements = Statements("messages_app.jobs")


_PREFIX = "job-"


def folder_of_exports() -> Path:
    return Path(settings.HUBCONSOLE_HOME) / "exports"


def folder_of(job_id: int) -> Path:
    return folder_of_exports() / f"{_PREFIX}{job_id}"


def parts_folder_of(job_id: int) -> Path:
    return folder_of(job_id) / "parts"


def file_name(job: Job) -> str:
    return f"messages-job-{job.pk}.{job.options['format']}"


def file_of(job: Job) -> Path:
    return folder_of(job.pk) / file_name(job)


def folders_by_job() -> dict[int, Path]:
    """Return the folders that exist, by job id."""
    found = {folder.name.removeprefix(_PREFIX): folder for folder in folder_of_exports().glob(f"{_PREFIX}*")}
    return {int(number): folder for number, folder in found.items() if re.fullmatch("[0-9]{1,18}", number)}


def parts_of(job: Job) -> list[tuple[str, int]]:
    """Return (name, rows) of each part in the ledger, in the order of the file."""
    with connection.cursor() as cursor:
        cursor.execute(statements.text("export_parts"), {"job_id": job.pk, "prefix": PART})
        parts = [(chunk_no, key.removeprefix(PART), rows) for chunk_no, key, rows in cursor]
    parts.sort(key=lambda part: (part[0], int(part[1].partition("-")[0])))
    return [(name, rows) for _, name, rows in parts]


# Files that are still kept, by the database's clock. Source: docs/contributing/spec/promises.md, S-60.


def jobs_with_file(job_ids: Collection[int]) -> set[int]:
    """Return the jobs whose file is still kept. A file is removed after `expires_at` of the job's report."""
    with connection.cursor() as cursor:
        cursor.execute(statements.text("exports_kept"), {"job_ids": list(job_ids)})
        return {job_id for (job_id,) in cursor}


# The removal of expired files, and of parts of jobs that ended without a file.
#
# Source: docs/contributing/spec/promises.md, I-25, S-60.


logger = logging.getLogger(__name__)


def remove_old_exports() -> None:
    """Remove expired files, and folders that no job needs any more."""
    found = folders_by_job()
    jobs, still = Job.objects.in_bulk(list(found)), jobs_with_file(found)
    for job_id, folder in found.items():
        try:
            _clean_folder(job_id, folder, jobs.get(job_id), is_kept=job_id in still)
        except OSError as error:
            logger.warning("The export folder %s could not be removed: %s", folder, error)


def _clean_folder(job_id: int, folder: Path, job: Job | None, *, is_kept: bool) -> None:
    if job is None or (job.state in FINAL_STATES and job.state != JobState.DONE):
        remove_folder(folder)
        return
    if job.state != JobState.DONE:
        return
    if is_kept:
        remove_folder(parts_folder_of(job_id))
        return
    _note_removal(job_id)  # Recorded first, so that a partly removed file is not offered.
    remove_folder(folder)


def _note_removal(job_id: int) -> None:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(statements.text("note_export_removal"), {"job_id": job_id})
            is_noted = cursor.fetchone() is not None
        if is_noted:
            audit.record_entry(actor=audit.SYSTEM, action="remove_export", job_id=job_id)


# The right to download the file of an export, and the reasons why there is no file.


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
    def problem(self) -> Problem:
        return Problem(410, "gone", str(self))


@dataclass(frozen=True, kw_only=True)
class Offer:
    path: Path
    sha256: str
    content_type: str


def may_download(user: Caller, job: Job) -> bool:
    """
    Whether `user` may download the file: only the job's creator and administrators may.

    If it has payloads, or was found by a payload search, they also need the permission to view payloads.

    Source: docs/contributing/spec/promises.md, S-60, I-58.
    """
    return may_steer(user, job) and not hides_messages(job, user)


def offer_file(job: Job) -> Offer:
    """
    Return the file of an export that is complete and still kept.

    Raises:
        FileIsGone: the file has expired, whether or not it has been removed yet.
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
    if not path.is_file() or path.stat().st_size != made["bytes"]:
        raise NoFile(f"The file is missing; {_AGAIN}")
    return Offer(path=path, sha256=made["sha256"], content_type=_TYPES[job.options["format"]])


def send_file(job: Job, offered: Offer, *, actor: audit.Actor) -> FileResponse:
    """Stream the file as an attachment that browsers do not display, and record the download in the audit
    log."""
    audit.record_entry(
        actor=actor,
        action="download_export",
        job_id=job.pk,
        details={"file": offered.path.name, "sha256": offered.sha256},
    )
    return FileResponse(
        offered.path.open("rb"),
        as_attachment=True,
        filename=offered.path.name,
        content_type=offered.content_type,
    )
