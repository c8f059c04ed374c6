"""
The files of exports: their folders, which of them are kept, and their removal.

No part of a path comes from a caller.
"""

import logging
import re
from collections.abc import Collection
from pathlib import Path

from django.conf import settings
from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.jobs.models import Job
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
    folders = {
        folder.name.removeprefix(_PREFIX): folder for folder in folder_of_exports().glob(f"{_PREFIX}*")
    }
    return {int(number): folder for number, folder in folders.items() if re.fullmatch("[0-9]{1,18}", number)}


def parts_of(job: Job) -> list[tuple[str, int]]:
    """Return (name, rows) of each part in the ledger, in the order of the file."""
    parts = [
        (chunk_no, key.removeprefix(PART), rows)
        for chunk_no, key, rows in statements.fetch_rows("export_parts", {"job_id": job.pk, "prefix": PART})
    ]
    parts.sort(key=lambda part: (part[0], int(part[1].partition("-")[0])))
    return [(name, rows) for _, name, rows in parts]


def jobs_with_file(job_ids: Collection[int]) -> set[int]:
    """Return the jobs whose file is still kept. A file is removed after `expires_at` of the job's report."""
    return set(statements.fetch_column("exports_kept", {"job_ids": list(job_ids)}))


logger = logging.getLogger(__name__)


def remove_old_exports() -> None:
    """
    Remove expired files, and folders that no job needs any more.

    Source: docs/contributing/spec/promises.md, I-25, S-60.
    """
    folders = folders_by_job()
    jobs, still = Job.objects.in_bulk(list(folders)), jobs_with_file(folders)
    for job_id, folder in folders.items():
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
    # Recorded first, so that a partly removed file is not offered.
    with transaction.atomic():
        if statements.fetch_row("note_export_removal", {"job_id": job_id}) is not None:
            audit.record_entry(actor=audit.SYSTEM, action="remove_export", job_id=job_id)
    remove_folder(folder)
