"""The files of exports in the folder of the tests, without the product's storage."""

from pathlib import Path

from django.conf import settings

from messages_app.jobs.models import Job


def folder_of_exports() -> Path:
    return Path(settings.HUBCONSOLE_HOME) / "exports"


def folder_of(job_id: int) -> Path:
    return folder_of_exports() / f"job-{job_id}"


def parts_folder_of(job_id: int) -> Path:
    return folder_of(job_id) / "parts"


def file_of(job: Job) -> Path:
    return folder_of(job.pk) / f"messages-job-{job.pk}.{job.options['format']}"
