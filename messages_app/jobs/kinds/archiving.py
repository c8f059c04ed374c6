"""Archive jobs, seen from the driver."""

import logging

from django.db import DatabaseError, connection
from pyspark.sql import SparkSession

from messages_app.jobs.kinds.addresses import database_dsn
from messages_app.jobs.kinds.archive_room import archived_tables, check_reach, storage, sweep
from messages_app.jobs.kinds.freeing import freed, would_free
from messages_app.jobs.kinds.frozen import archive_queries
from messages_app.jobs.kinds.kind import CannotRun, Kind
from messages_app.jobs.models import Job
from messages_app.jobs.sql import statement
from messages_app.messages.states import FINAL_STATES
from spark_tasks.actions import JobKey
from spark_tasks.archive_plan import ArchiveScope
from spark_tasks.cold.archiving import ArchiveToParquet
from spark_tasks.cold.parts import run_name
from spark_tasks.database import connect
from spark_tasks.jobs import archive
from spark_tasks.moves import ArchiveToTables, ColumnsDiffer, shared_columns

logger = logging.getLogger(__name__)


class Archiving(Kind):
    """Moves final messages that are old enough, with all that is theirs. Source: docs/archive.md."""

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        self._check(spark, job)
        return archive.plan(spark, key=key, scope=_scope(job))

    def preview(self, spark: SparkSession, *, job: Job) -> dict[str, object]:
        self._check(spark, job)
        preview = archive.preview(spark, scope=_scope(job))
        return {
            "would_move": preview.rows,
            "would_free_bytes": would_free(preview.rows),
            "planned": preview.messages,
            "by_state": preview.by_state,
            "skipped": preview.skipped,
            "samples": preview.samples,
        } | _kept()

    def action(self, job: Job) -> ArchiveToTables | ArchiveToParquet:
        ages = {"cutoff": job.cutoff.isoformat(), "final_states": tuple(sorted(FINAL_STATES))}
        if _is_to_parquet(job):
            run = run_name(job.pk, job.created_at)
            return ArchiveToParquet(storage=storage(), run=run, tables=archived_tables(), **ages)
        return ArchiveToTables(columns=_columns(), tables=archived_tables(), **ages)

    def ended(self, job: Job) -> dict[str, object]:
        if _is_to_parquet(job):
            sweep(also=job)
        return freed(job) | _kept()

    def tidy_up(self) -> None:
        _analyze()

    def _check(self, spark: SparkSession, job: Job) -> None:
        """Find what would stop the job before its set is read. Raises CannotRun."""
        if not _is_to_parquet(job):
            _columns()
            return
        check_reach(spark)
        sweep()


def _is_to_parquet(job: Job) -> bool:
    return job.options.get("to") == "parquet"


def _columns() -> dict[str, tuple[str, ...]]:
    """
    Raises:
        CannotRun: a live table and its archive do not have the same columns.
    """
    try:
        with connect(database_dsn()) as database:
            return shared_columns(database, archived_tables())
    except ColumnsDiffer as error:
        raise CannotRun(str(error)) from error


def _scope(job: Job) -> ArchiveScope:
    return ArchiveScope(
        dsn=database_dsn(),
        cutoff=job.cutoff.isoformat(),
        final_states=tuple(sorted(FINAL_STATES)),
        last_msg_id=job.last_msg_id,
        queries=tuple(archive_queries(job)) if job.filter or job.retry_of else None,
        tables=archived_tables(),
    )


def _analyze() -> None:
    """Have the planner know what the archive holds; pages say how much it is from the same figures."""
    tables = [*(table.archive for table in archived_tables()), "cold_message"]
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {', '.join(map(connection.ops.quote_name, tables))}")
    except DatabaseError:
        logger.warning("ANALYZE was refused; the database will do it by itself in a while.")


def _kept() -> dict[str, object]:
    """Return what stays by the rule that nothing moves whose age is not known."""
    with connection.cursor() as cursor:
        cursor.execute(statement("responses_without_time"))
        return {"kept_responses_without_time": cursor.fetchone()[0]}
