"""Export jobs, seen from the driver: executors write parts, and the end joins them to one file."""

from dataclasses import asdict

from django.conf import settings
from django.db import connection, models
from django.urls import reverse
from pyspark.sql import DataFrame, SparkSession

from messages_app.core.statements import Statements
from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.driver import CannotRun, Driver
from messages_app.jobs.drivers.item_queries import filter_of, set_queries
from messages_app.jobs.exports.files import file_name, folder_of, parts_folder_of, parts_of
from messages_app.jobs.models import Job
from messages_app.jobs.preview.quick import kept_in_parquet
from messages_app.jobs.preview.timing import Deadline, expected
from messages_app.jobs.services.limits import export_space, has_export_room
from messages_app.messages.filters.branches import CONTENT_COLUMNS, WIDE_COLUMNS
from messages_app.messages.models import Message
from spark_tasks.contract import JobKey
from spark_tasks.exports.files import remove_folder
from spark_tasks.exports.formats import ARCHIVED, Column, Columns
from spark_tasks.exports.parts import BrokenExport, ExportedFile, ExportParts, join_parts, made_before
from spark_tasks.plans.plans import write_plan
from spark_tasks.plans.selection import each_once, plan_rows, selected, with_reasons
from spark_tasks.set_summary import Asked, summarise

statements = Statements("messages_app.jobs.exports")


# Messages a chunk, which is one part: without payloads, and with them.
_CHUNK_MESSAGES, _CHUNK_PAYLOADS = 10_000, 2_000

# To find how many messages an export does not read.
_SECONDS_TO_LOOK = 2

_KINDS = {
    models.BigIntegerField: "long",
    models.IntegerField: "int",
    models.DateTimeField: "time",
    models.BooleanField: "flag",
    models.CharField: "text",
    models.TextField: "text",
}


class Exporting(Driver):
    """
    Writes the messages of a filter to a file, and changes none of them.

    The set is frozen by the plan; each row stands in the file as it was when its part was written.
    Source: docs/export.md.
    """

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        if not has_export_room():
            raise CannotRun(export_space())
        self.action(job)  # a folder that cannot be written to is found before the set is read
        size = _CHUNK_PAYLOADS if job.options["payload"] else _CHUNK_MESSAGES
        return write_plan(plan_rows(_set(spark, job)), key=key, chunk_size=size, claims=False)

    def preview(self, spark: SparkSession, *, job: Job) -> dict[str, object]:
        summary = summarise(_set(spark, job), asked=Asked(dsn=database_dsn()))
        return summary | expected(job, summary) | _kept(job)

    def action(self, job: Job) -> ExportParts:
        folder = parts_folder_of(job.pk)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / ".writable").touch()
        except OSError as error:
            raise CannotRun(f"The export cannot be written to {folder}: {error.strerror}.") from error
        return ExportParts(
            folder=str(folder), format=job.options["format"], columns=_columns(job.options["payload"])
        )

    def ended(self, job: Job) -> dict[str, object]:
        """
        Join the parts, unless an earlier attempt has.

        Raises:
            CannotRun: what was written is not what the ledger says.
            OSError: there is no room, for one.
        """
        try:
            made = made_before(folder_of(job.pk)) or _join(job)
        except BrokenExport as error:
            raise CannotRun(str(error)) from error
        remove_folder(parts_folder_of(job.pk))
        return {
            "moved": {"file": made.rows},
            "files": [asdict(made) | {"download": reverse("api-job-download", args=[job.pk])}],
            "expires_at": _expires_at(),
        } | _kept(job)


def _set(spark: SparkSession, job: Job) -> DataFrame:
    messages = selected(spark, dsn=database_dsn(), queries=set_queries(job))
    if filter_of(job).is_anywhere:
        messages = each_once(messages)  # one that is being moved may be read in both places
    return with_reasons(messages, allowed=None)


def _columns(payload: bool) -> Columns:
    """Return the hub's columns, in its order; payload and envelope only where they were asked for."""
    fields = Message._meta.concrete_fields
    return tuple(
        Column(name=field.column, kind=_KINDS[type(field)], is_wide=field.name in WIDE_COLUMNS)
        for field in fields
        if payload or field.name not in CONTENT_COLUMNS
    )


def _join(job: Job) -> ExportedFile:
    return join_parts(
        folder=folder_of(job.pk),
        parts_folder=parts_folder_of(job.pk),
        parts=parts_of(job),
        name=file_name(job),
        format=job.options["format"],
        columns=(*_columns(job.options["payload"]), ARCHIVED),
    )


def _kept(job: Job) -> dict[str, object]:
    """Return what the report says of messages that the filter means and the export does not read."""
    kept = kept_in_parquet(filter_of(job), Deadline(_SECONDS_TO_LOOK))
    return (
        {"kept": {reason: number and round(number.about) for reason, number in kept.items()}} if kept else {}
    )


def _expires_at() -> str:
    with connection.cursor() as cursor:
        cursor.execute(statements.text("expires_at"), {"days": settings.EXPORT_DAYS})
        return cursor.fetchone()[0].isoformat()
