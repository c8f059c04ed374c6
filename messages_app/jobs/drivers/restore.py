"""Restore jobs, and the undoing of archive jobs, seen from the driver."""

from collections.abc import Iterator

from django.db.models import QuerySet
from pyspark.sql import SparkSession

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.archive_location import archived_tables, storage
from messages_app.jobs.drivers.driver import CannotRun, Driver
from messages_app.jobs.drivers.item_queries import filter_of, ranges, set_queries
from messages_app.jobs.models import Job
from messages_app.messages.filters.branches import querysets
from messages_app.messages.parquet_archive.models import ColdPart
from messages_app.shared.job_records import JobReport, SetReport
from spark_tasks.actions import restore_plan
from spark_tasks.actions.archive_rows import ColumnsDiffer, shared_columns
from spark_tasks.actions.restore import Restore
from spark_tasks.actions.restore_plan import RestoreScope
from spark_tasks.contract import JobKey
from spark_tasks.database import connect
from spark_tasks.plans.selection import Query


class Restoring(Driver):
    """Brings archived messages back, whole families at a time. Source: docs/archive.md, "Restore"."""

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        self.action(job)  # tables that differ are found before the set is read
        return restore_plan.plan(spark, key=key, scope=_scope(job))

    def preview(self, spark: SparkSession, *, job: Job) -> SetReport:
        self.action(job)
        return restore_plan.preview(spark, scope=_scope(job))

    def action(self, job: Job) -> Restore:
        tables = archived_tables()
        try:
            with connect(database_dsn()) as database:
                columns = shared_columns(database, tables)
        except ColumnsDiffer as error:
            raise CannotRun(str(error)) from error
        return Restore(storage=storage(), columns=columns, origin_id=job.undo_of, tables=tables)

    def ended(self, job: Job) -> JobReport:
        if job.undo_of is None:
            return {}
        left = ColdPart.objects.filter(job_id=job.undo_of, emptied_at=None).count()
        return {"parts_left_in_parquet": left}


def _scope(job: Job) -> RestoreScope:
    return RestoreScope(dsn=database_dsn(), queries=list(_queries(job)), origin_id=job.undo_of)


def _queries(job: Job) -> Iterator[Query]:
    if job.undo_of is not None or job.retry_of is not None:
        yield from set_queries(job)
        return
    for rows in querysets(filter_of(job), with_parquet=True):
        yield from ranges(rows, _last_id(rows))


def _last_id(rows: QuerySet) -> int:
    """Return the last id of the table: of the live one, an archive may have later ones."""
    return rows.model.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
