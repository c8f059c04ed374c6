"""
The drivers of archive jobs, and of restore jobs, which also undo archive jobs; the tables and Parquet files
of this installation's archive, and the check that Spark can reach them.
"""

import logging
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import psycopg
import pyarrow as pa
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import QuerySet, Sum
from pyspark.sql import SparkSession

from messages_app.core.statements import Statements
from messages_app.jobs.archive_months.services import CannotChangeMonths, make_months
from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.driver import (
    CannotRun,
    Driver,
    age_limit_of,
    archive_queries,
    filter_of,
    last_id_of,
    queries_of_set,
    split_into_ranges,
)
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import progress_of
from messages_app.messages.attachment import has_indexes
from messages_app.messages.filters.branches import split_into_querysets
from messages_app.messages.parquet_archive.models import ColdFile, ColdPart
from messages_app.messages.parquet_archive.place import archive_storage
from messages_app.shared.job_records import JobReport, SetReport
from messages_app.shared.job_states import FINAL_STATES as ENDED_STATES
from messages_app.shared.message_states import FINAL_STATES
from spark_tasks.actions import archive_plan, restore_plan
from spark_tasks.actions.archive_parquet import ArchiveToParquet
from spark_tasks.actions.archive_rows import ArchiveToTables, shared_columns
from spark_tasks.actions.restore import Restore
from spark_tasks.actions.restore_plan import RestoreScope
from spark_tasks.contract import JobKey
from spark_tasks.database import connect_to_database
from spark_tasks.moves.second_rows import remove_second_rows
from spark_tasks.parquet.parts import job_ids, run_name, sweep_leftovers
from spark_tasks.plans.archive import ArchiveScope
from spark_tasks.plans.selection import Query
from spark_tasks.ranges import read_to_end, to_batch
from spark_tasks.storage.faults import StorageFault
from spark_tasks.tables import HubTable, named_tables
from spark_tasks.views import ColumnsDiffer, check_seen, tables_behind

statements = Statements("messages_app.jobs")
logger = logging.getLogger(__name__)


def archived_tables() -> tuple[HubTable, ...]:
    """
    Return the tables that this installation archives, children before parents.

    Raises:
        CannotRun: the setting has no table, or an unknown one.
    """
    try:
        return named_tables(settings.ARCHIVED_TABLES)
    except ValueError as error:
        raise CannotRun(f"HUBCONSOLE_ARCHIVED_TABLES: {error}") from error


def remove_left_files(*, also: Job | None = None) -> None:
    """
    Remove files that crashed jobs left in the Parquet archive.

    Args:
        also: a job that has not ended but no longer writes.
    """
    place = archive_storage()
    try:
        jobs = Job.objects.filter(pk__in=job_ids(place), state__in=ENDED_STATES)
        ended = list(jobs.values_list("pk", "created_at"))
        ended += [(also.pk, also.created_at)] if also else []
        with connect_to_database(database_dsn()) as database:
            removed = sweep_leftovers(database, place, ended=ended)
    except OSError as error:
        logger.warning("Leftovers in the Parquet archive stay for now: %s", error)
        return
    if removed:
        logger.warning("Removed %s files that no archive job had committed.", len(removed))


def check_reach(spark: SparkSession) -> None:
    """
    Let an executor write a file to the Parquet archive, and read the file here.

    Raises:
        StorageFault: the storage does not answer or refuses.
        CannotRun: the executor cannot write it, or this process cannot read it.
    """
    place, path, body = archive_storage(), f"reach-{secrets.token_hex(8)}", secrets.token_bytes(16)

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        read_to_end(batches)
        try:
            with place.open_to_write(path) as file:
                file.write(body)
            yield to_batch([("",)], {"fault": "string"})
        except StorageFault:
            raise
        except Exception as error:
            yield to_batch([(str(error),)], {"fault": "string"})

    fault = spark.range(0, 1, 1, 1).mapInArrow(write, "fault string").collect()[0].fault
    if fault:
        raise CannotRun(f"Spark cannot write to {place.uri}: {fault}")
    try:
        with place.open_to_read(path) as file:
            is_same = file.read() == body
        place.remove(path)
    except StorageFault:
        raise
    except OSError as error:
        raise CannotRun(f"The console cannot read what Spark writes to {place.uri}: {error}") from error
    if not is_same:
        raise CannotRun(f"{place.uri} does not return what was written to it.")


def would_free(rows: Mapping[str, int]) -> dict[str, int]:
    """
    Return the approximate bytes that rows take, with their share of indexes and large values.

    Args:
        rows: the number of rows by live table. Tables whose row counts are not known yet count as empty.
    """
    tables = [table.live for table in archived_tables()]
    sizes: dict[str, float] = dict(statements.fetch_rows("row_sizes", {"tables": tables}))
    return {table: round(count * sizes.get(table, 0)) for table, count in rows.items()}


def freed_space(job: Job) -> JobReport:
    """
    Return the estimated bytes that a job has freed in the live tables, and the bytes of its Parquet files.

    PostgreSQL uses the space for new rows of the same tables. It returns the space to the disk only when a
    table is rewritten (VACUUM FULL, pg_repack).
    """
    parts = ColdPart.objects.filter(job_id=job.pk).values("part_id")
    written = ColdFile.objects.filter(part_id__in=parts).aggregate(total=Sum("bytes"))["total"]
    return {
        "freed_bytes": would_free(progress_of(job).moved),
        "parquet_bytes": written or 0,
    }


class Archiving(Driver):
    """
    Moves final messages that are old enough, with all their rows, family by family. Source:
    docs/reference/archive.md.
    """

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        self._check(spark, job)
        return archive_plan.plan_archive(spark, key=key, scope=_archive_scope(job))

    def preview(self, spark: SparkSession, *, job: Job) -> SetReport:
        self._check(spark, job)
        report = archive_plan.preview_archive(spark, scope=_archive_scope(job))
        return report | {"would_free_bytes": would_free(report["would_move"])} | _count_kept()

    def make_action(self, job: Job) -> ArchiveToTables | ArchiveToParquet:
        cutoff, final_states = age_limit_of(job).isoformat(), tuple(sorted(FINAL_STATES))
        tables = _archived_tables()
        if _is_to_parquet(job):
            return ArchiveToParquet(
                storage=archive_storage(),
                run=run_name(job.pk, job.created_at),
                tables=tables,
                cutoff=cutoff,
                final_states=final_states,
            )
        return ArchiveToTables(
            columns=_columns_by_table(tables), tables=tables, cutoff=cutoff, final_states=final_states
        )

    def finish(self, job: Job) -> JobReport:
        report: JobReport = {**freed_space(job), **_count_kept()}
        if _is_to_parquet(job):
            remove_left_files(also=job)
        elif removed := _remove_second_rows(job):
            report["second_rows_removed"] = removed
        return report

    def tidy_up(self) -> None:
        _make_months()
        _analyze_archive()

    def _check(self, spark: SparkSession, job: Job) -> None:
        """Check that the job can run, before its set is read. Raises CannotRun."""
        if not _is_to_parquet(job):
            _columns_by_table(_archived_tables())
            return
        with _describing_columns() as database:
            check_seen(database, tables_behind(database, archived_tables()))
        check_reach(spark)
        remove_left_files()


def _is_to_parquet(job: Job) -> bool:
    return job.options.get("to") == "parquet"


def _archived_tables() -> tuple[HubTable, ...]:
    """Return the archived tables, with those of an attached hub. Raises CannotRun."""
    with connect_to_database(database_dsn()) as database:
        return tables_behind(database, archived_tables())


def _columns_by_table(tables: Sequence[HubTable]) -> dict[str, tuple[str, ...]]:
    """
    Raises:
        CannotRun: a live table and its archive do not have the same columns.
    """
    with _describing_columns() as database:
        return shared_columns(database, tables)


@contextmanager
def _describing_columns() -> Iterator[psycopg.Connection]:
    """Yield a connection. Raises CannotRun if columns differ, or files would lose some."""
    try:
        with connect_to_database(database_dsn()) as database:
            yield database
    except ColumnsDiffer as error:
        raise CannotRun(str(error)) from error


def _archive_scope(job: Job) -> ArchiveScope:
    return ArchiveScope(
        dsn=database_dsn(),
        cutoff=age_limit_of(job).isoformat(),
        final_states=tuple(sorted(FINAL_STATES)),
        last_msg_id=last_id_of(job),
        queries=tuple(archive_queries(job)) if job.filter or job.retry_of else None,
        tables=archived_tables(),
        has_indexes=has_indexes(),
    )


def _analyze_archive() -> None:
    """Update the planner's statistics of the archive tables. Pages show the size of the archive from them."""
    names = [*(table.archive for table in archived_tables()), "cold_message"]
    tables = statements.fetch_column("own_tables", {"tables": names})
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {', '.join(tables)}")
    except DatabaseError:
        logger.warning("ANALYZE was refused; the database will run it later.")


def _make_months() -> None:
    """Make the next months of a partitioned archive; its partition of other rows takes what no month has."""
    try:
        make_months(tries=2)
    except (CannotChangeMonths, DatabaseError):
        logger.warning("The next months of the archive were not made; the next job will try again.")


def _remove_second_rows(job: Job) -> int:
    """Remove rows that a procedure of the hub archived at the same time; return how many."""
    with connect_to_database(database_dsn()) as database:
        return remove_second_rows(database, job_id=job.pk, tables=_archived_tables())


def _count_kept() -> SetReport:
    """Return the number of rows that stay because their age is not known."""
    (responses,) = statements.only_row("responses_without_time", {})
    return {"kept_responses_without_time": responses}


class Restoring(Driver):
    """
    Moves archived messages back to the live tables, family by family. Source: docs/reference/archive.md,
    "Restore".
    """

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        self.make_action(job)  # finds tables that differ before the set is read
        return restore_plan.plan_restore(spark, key=key, scope=_restore_scope(job))

    def preview(self, spark: SparkSession, *, job: Job) -> SetReport:
        self.make_action(job)
        return restore_plan.preview_restore(spark, scope=_restore_scope(job))

    def make_action(self, job: Job) -> Restore:
        tables = _archived_tables()
        return Restore(
            storage=archive_storage(), columns=_columns_by_table(tables), origin_id=job.undo_of, tables=tables
        )

    def finish(self, job: Job) -> JobReport:
        if job.undo_of is None:
            return {}
        left = ColdPart.objects.filter(job_id=job.undo_of, emptied_at=None).count()
        return {"parts_left_in_parquet": left}


def _restore_scope(job: Job) -> RestoreScope:
    return RestoreScope(dsn=database_dsn(), queries=list(_queries_of_job(job)), origin_id=job.undo_of)


def _queries_of_job(job: Job) -> Iterator[Query]:
    if job.undo_of is not None or job.retry_of is not None:
        yield from queries_of_set(job)
        return
    for rows in split_into_querysets(filter_of(job), with_parquet=True):
        yield from split_into_ranges(rows, _last_id(rows))


def _last_id(rows: QuerySet) -> int:
    """Return the last id of the table. The archive can have later ids than the live table."""
    return rows.model.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
