"""
Removes what exports leave: files that have had their days, and parts of jobs that ended without a file.

Source: reliability I-25, S-60.
"""

import logging
from pathlib import Path

from django.db import connection, transaction

from messages_app.audit import services as audit
from messages_app.jobs.exports.keeping import kept
from messages_app.jobs.exports.places import folders, parts_folder_of
from messages_app.jobs.exports.sql import statement
from messages_app.jobs.models import Job
from messages_app.jobs.states import FINAL_STATES, JobState
from spark_tasks.exporting.files import remove_folder

logger = logging.getLogger(__name__)


def remove_old_exports() -> None:
    """Remove every file that is kept no longer, and every folder that no job will need again."""
    found = folders()
    jobs, still = Job.objects.in_bulk(list(found)), kept(found)
    for job_id, folder in found.items():
        try:
            _clean(job_id, folder, jobs.get(job_id), is_kept=job_id in still)
        except OSError as error:
            logger.warning("The export folder %s could not be removed: %s", folder, error)


def _clean(job_id: int, folder: Path, job: Job | None, *, is_kept: bool) -> None:
    if job is None or (job.state in FINAL_STATES and job.state != JobState.DONE):
        remove_folder(folder)
        return
    if job.state != JobState.DONE:
        return
    if is_kept:
        remove_folder(parts_folder_of(job_id))
        return
    _note_removal(job_id)  # first: what is half removed is not offered
    remove_folder(folder)


def _note_removal(job_id: int) -> None:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(statement("note_removal"), {"job_id": job_id})
            is_noted = cursor.fetchone() is not None
        if is_noted:
            audit.record(actor=audit.SYSTEM, action="remove_export", job_id=job_id)
