"""Archive jobs, seen from the driver."""

import logging

from django.db import DatabaseError, connection
from pyspark.sql import SparkSession

from messages_app.jobs.kinds.kind import CannotRun, database_dsn
from messages_app.jobs.models import Job
from messages_app.jobs.sql import statement
from messages_app.messages.states import FINAL_STATES
from spark_tasks.archive_plan import ArchiveScope
from spark_tasks.chunks import JobKey
from spark_tasks.database import connect
from spark_tasks.jobs import archive
from spark_tasks.moves import ArchiveToTables, ColumnsDiffer, shared_columns
from spark_tasks.tables import HUB_TABLES

logger = logging.getLogger(__name__)


class Archiving:
    """Moves final messages that are old enough, with all that is theirs. Source: docs/archive.md."""

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        self.action(job)  # tables that differ are found before the set is read
        return archive.plan(spark, key=key, scope=_scope(job))

    def preview(self, spark: SparkSession, *, job: Job) -> dict[str, object]:
        self.action(job)
        preview = archive.preview(spark, scope=_scope(job))
        return {
            "would_move": preview.rows,
            "planned": preview.messages,
            "by_state": preview.by_state,
            "skipped": preview.skipped,
            "samples": preview.samples,
        } | _kept()

    def action(self, job: Job) -> ArchiveToTables:
        try:
            with connect(database_dsn()) as database:
                columns = shared_columns(database)
        except ColumnsDiffer as error:
            raise CannotRun(str(error)) from error
        return ArchiveToTables(
            cutoff=job.cutoff.isoformat(), final_states=tuple(sorted(FINAL_STATES)), columns=columns
        )

    def ended(self, job: Job) -> dict[str, object]:
        _analyze()
        return _kept()


def _scope(job: Job) -> ArchiveScope:
    return ArchiveScope(
        dsn=database_dsn(),
        cutoff=job.cutoff.isoformat(),
        final_states=tuple(sorted(FINAL_STATES)),
        last_msg_id=job.last_msg_id,
    )


def _analyze() -> None:
    """Have the planner know what the archive holds; pages say how much it is from the same figures."""
    tables = [table.archive for table in HUB_TABLES]
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
