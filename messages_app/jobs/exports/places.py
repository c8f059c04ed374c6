"""Where the files of exports lie, and how they are called. Nothing that a caller says becomes a path."""

import re
from pathlib import Path

from django.conf import settings
from django.db import connection

from messages_app.jobs.exports.sql import statement
from messages_app.jobs.models import Job
from spark_tasks.exporting.files import PART

_PREFIX = "job-"


def home() -> Path:
    return Path(settings.HUBCONSOLE_HOME) / "exports"


def folder_of(job_id: int) -> Path:
    return home() / f"{_PREFIX}{job_id}"


def parts_folder_of(job_id: int) -> Path:
    return folder_of(job_id) / "parts"


def file_name(job: Job) -> str:
    return f"messages-job-{job.pk}.{job.options['format']}"


def file_of(job: Job) -> Path:
    return folder_of(job.pk) / file_name(job)


def folders() -> dict[int, Path]:
    """Return the folders that there are, by the id of their job."""
    found = {folder.name.removeprefix(_PREFIX): folder for folder in home().glob(f"{_PREFIX}*")}
    return {int(number): folder for number, folder in found.items() if re.fullmatch("[0-9]{1,18}", number)}


def parts_of(job: Job) -> list[tuple[str, int]]:
    """Return (name, rows) of the parts that the ledger has, in the order of the file."""
    with connection.cursor() as cursor:
        cursor.execute(statement("parts"), {"job_id": job.pk, "prefix": PART})
        parts = [(chunk_no, key.removeprefix(PART), rows) for chunk_no, key, rows in cursor]
    parts.sort(key=lambda part: (part[0], int(part[1].partition("-")[0])))
    return [(name, rows) for _, name, rows in parts]
