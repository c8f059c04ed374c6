"""
The files of exports: their storage and folders, their limit of disk space, which of them are kept, and their
removal.

No part of a path comes from a caller.
"""

import logging
import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path

from django.conf import settings
from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.problems import Problem
from messages_app.core.statements import Statements
from messages_app.core.storages import make_storage
from messages_app.jobs.models import Job
from messages_app.shared.job_states import FINAL_STATES, JobState
from spark_tasks.exports.files import PART
from spark_tasks.storage.addresses import Storage
from spark_tasks.storage.faults import StorageFault

statements = Statements("messages_app.jobs")


_PREFIX = "job-"


def export_storage() -> Storage:
    return make_storage(settings.EXPORT_URI or str(Path(settings.HUBCONSOLE_HOME) / "exports"))


def check_export_space() -> None:
    """
    Check that there is space for another export.

    Raises:
        Problem: 409 export_space, 503 storage_away.
    """
    try:
        has_space = has_export_space()
    except StorageFault as error:
        raise Problem(503, "storage_away", f"Files cannot be exported at the moment. {error}") from error
    if not has_space:
        raise Problem(409, "export_space", f"{describe_full_space()} Wait until old files are deleted.")


def has_export_space() -> bool:
    """
    Return whether all export files together are below their limit.

    Raises:
        StorageFault: their storage does not answer or refuses.
    """
    return sum(export_storage().list_sizes().values()) < settings.EXPORT_BYTES


def describe_full_space() -> str:
    """Return the error text for exports that have reached their limit of disk space."""
    return f"The files of exports take {settings.EXPORT_BYTES // 10**6} MB, the limit."


def folder_of(job_id: int) -> str:
    """Return the path of a job's files in the storage."""
    return f"{_PREFIX}{job_id}"


def parts_folder_of(job_id: int) -> str:
    return f"{folder_of(job_id)}/parts"


def file_name(job: Job) -> str:
    return f"messages-job-{job.pk}.{job.options['format']}"


def file_of(job: Job) -> str:
    return f"{folder_of(job.pk)}/{file_name(job)}"


def paths_by_job(storage: Storage) -> dict[int, list[str]]:
    """Return the files that exist, by job id."""
    paths: dict[int, list[str]] = defaultdict(list)
    for path in storage.list_paths():
        if match := re.match(rf"{_PREFIX}([0-9]{{1,18}})/", path):
            paths[int(match[1])].append(path)
    return paths


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
    storage = export_storage()
    try:
        paths = paths_by_job(storage)
    except StorageFault as error:
        logger.warning("Old exports stay for now: %s", error)
        return
    jobs, still = Job.objects.in_bulk(list(paths)), jobs_with_file(paths)
    for job_id, of_job in paths.items():
        try:
            _clean_folder(storage, job_id, of_job, jobs.get(job_id), is_kept=job_id in still)
        except OSError as error:
            logger.warning("The files of export %s could not be removed: %s", job_id, error)


def _clean_folder(
    storage: Storage, job_id: int, paths: Sequence[str], job: Job | None, *, is_kept: bool
) -> None:
    if job is None or (job.state in FINAL_STATES and job.state != JobState.DONE):
        storage.remove_folder(folder_of(job_id))
        return
    if job.state != JobState.DONE:
        return
    if is_kept:
        if any(path.startswith(f"{parts_folder_of(job_id)}/") for path in paths):
            storage.remove_folder(parts_folder_of(job_id))
        return
    # Recorded first, so that a partly removed file is not offered.
    with transaction.atomic():
        if statements.fetch_row("note_export_removal", {"job_id": job_id}) is not None:
            audit.record_entry(actor=audit.SYSTEM, action="remove_export", job_id=job_id)
    storage.remove_folder(folder_of(job_id))
