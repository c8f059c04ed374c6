"""The driver of export jobs: executors write parts, and the driver joins them into one file."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.urls import reverse
from pyspark.sql import DataFrame, SparkSession

from messages_app.core.statements import Statements
from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.driver import CannotRun, Driver, filter_of, queries_of_set
from messages_app.jobs.exports import (
    describe_full_space,
    export_storage,
    file_name,
    folder_of,
    has_export_space,
    parts_folder_of,
    parts_of,
)
from messages_app.jobs.models import Job
from messages_app.jobs.preview.deadline import Deadline
from messages_app.jobs.preview.pace import expected_duration
from messages_app.jobs.preview.quick import kept_in_parquet, rounded_or_none
from messages_app.messages.fields import CONTENT_COLUMNS, WIDE_COLUMNS
from messages_app.messages.models import Message
from messages_app.shared.job_records import ExportFile, JobReport, SetReport
from spark_tasks.contract import JobKey
from spark_tasks.exports.expressions import Column, Columns
from spark_tasks.exports.formats import ARCHIVED
from spark_tasks.exports.parts import BrokenExport, ExportedFile, ExportParts, join_parts, made_before
from spark_tasks.plans.plan_writer import write_plan
from spark_tasks.plans.selection import each_once, plan_rows, read_selection, with_reasons, write_selection
from spark_tasks.ranges import Reading
from spark_tasks.set_summary import SummaryOptions, summarise_set
from spark_tasks.storage.faults import StorageFault

statements = Statements("messages_app.jobs")


# Messages per chunk, without payloads and with them. A chunk is one part of the file.
_CHUNK_MESSAGES, _CHUNK_PAYLOADS = 10_000, 5_000

# The time limit for counting messages that an export does not read.
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
    Writes the messages of a filter to a file, without changing them.

    The plan freezes the set. Each row is exported as it was when its part was written.
    Source: docs/reference/export.md.
    """

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        if not has_export_space():
            raise CannotRun(describe_full_space())
        self.make_action(job)  # Fails before the set is read if the folder is not writable.
        size = _CHUNK_PAYLOADS if job.options["payload"] else _CHUNK_MESSAGES
        if filter_of(job).is_anywhere:
            return write_plan(plan_rows(_select_messages(spark, job)), key=key, chunk_size=size, claims=False)
        return write_selection(spark, key=key, queries=queries_of_set(job), chunk_size=size)

    def preview(self, spark: SparkSession, *, job: Job) -> SetReport:
        summary = summarise_set(_select_messages(spark, job), options=SummaryOptions(dsn=database_dsn()))
        return summary | expected_duration(job, summary) | _count_kept(job)

    def make_action(self, job: Job) -> ExportParts:
        storage, folder = export_storage(), parts_folder_of(job.pk)
        try:
            with storage.open_to_write(f"{folder}/.writable") as file:
                file.write(b"")
        except StorageFault:
            raise
        except OSError as error:
            place = f"{storage.uri}/{folder}"
            raise CannotRun(f"The export cannot be written to {place}: {error.strerror}.") from error
        return ExportParts(
            storage=storage,
            folder=folder,
            format=job.options["format"],
            columns=_exported_columns(job.options["payload"]),
        )

    def finish(self, job: Job) -> JobReport:
        """
        Join the parts, unless an earlier attempt has already joined them.

        Raises:
            CannotRun: the parts do not match the ledger.
            StorageFault, OSError: the file cannot be written, for example because the disk is full.
        """
        try:
            made = made_before(export_storage(), folder_of(job.pk)) or _join_file(job)
        except BrokenExport as error:
            raise CannotRun(str(error)) from error
        export_storage().remove_folder(parts_folder_of(job.pk))
        report: JobReport = {
            "moved": {"file": made.rows},
            "files": [_as_report(made, job)],
            "expires_at": _expires_at(),
        }
        return {**report, **_count_kept(job)}


def _as_report(made: ExportedFile, job: Job) -> ExportFile:
    download = reverse("api-job-download", args=[job.pk])
    return {
        "name": made.name,
        "rows": made.rows,
        "bytes": made.bytes,
        "sha256": made.sha256,
        "download": download,
    }


def _select_messages(spark: SparkSession, job: Job) -> DataFrame | Reading:
    messages = read_selection(spark, dsn=database_dsn(), queries=queries_of_set(job))
    # A message that is being moved may be found in both places.
    return with_reasons(each_once(messages) if filter_of(job).is_anywhere else messages, allowed=None)


def _exported_columns(payload: bool) -> Columns:
    """Return the columns of the hub, with payload and envelope only on request."""
    fields = Message._meta.concrete_fields
    return tuple(
        Column(name=field.column, kind=_KINDS[type(field)], is_wide=field.name in WIDE_COLUMNS)
        for field in fields
        if payload or field.name not in CONTENT_COLUMNS
    )


def _join_file(job: Job) -> ExportedFile:
    return join_parts(
        export_storage(),
        folder=folder_of(job.pk),
        parts_folder=parts_folder_of(job.pk),
        parts=parts_of(job),
        name=file_name(job),
        format=job.options["format"],
        columns=(*_exported_columns(job.options["payload"]), ARCHIVED),
    )


def _count_kept(job: Job) -> SetReport:
    """Return the number of messages that match the filter but are not exported."""
    in_files = kept_in_parquet(filter_of(job), Deadline(_SECONDS_TO_LOOK))
    return {"kept": rounded_or_none(in_files)} if in_files else {}


def _expires_at() -> str:
    expires_at: datetime
    (expires_at,) = statements.only_row("export_expires_at", {"days": settings.EXPORT_DAYS})
    return expires_at.isoformat()
