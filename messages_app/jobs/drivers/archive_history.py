"""Jobs that move old attempts of the store's messages into their archive, seen from the driver."""

from django.db import connection
from pyspark.sql import SparkSession

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.driver import Driver
from messages_app.jobs.drivers.item_queries import (
    age_limit_of,
    last_id_of,
    lines_of,
    store_queries,
    store_report,
)
from messages_app.jobs.models import Job
from messages_app.jobs.preview.timing import expected
from messages_app.message_store import selectors
from messages_app.shared.job_records import JobReport, SetReport
from spark_tasks.actions.reprocess import ArchiveHistory
from spark_tasks.contract import Action, JobKey
from spark_tasks.plans.plans import write_plan
from spark_tasks.plans.selection import plan_rows, selected, with_reasons
from spark_tasks.ranges import Reading
from spark_tasks.set_summary import Asked, summarise

# Messages a chunk, each with all its old attempts.
_CHUNK_MESSAGES = 1_000


class ArchivingHistory(Driver):
    """
    Moves attempts that are older than the limit; the newest of each message stays.

    No message, process row or record is touched, so that any other job may have the same ones.
    """

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        return write_plan(plan_rows(_selected(spark, job)), key=key, chunk_size=_CHUNK_MESSAGES, claims=False)

    def preview(self, spark: SparkSession, *, job: Job) -> SetReport:
        judged = with_reasons(_selected(spark, job), allowed=None)
        summary = summarise(judged, asked=Asked(dsn=database_dsn()))
        return store_report(summary) | expected(job, summary)

    def action(self, job: Job) -> Action:
        return ArchiveHistory(cutoff=age_limit_of(job).isoformat())

    def ended(self, job: Job) -> JobReport:
        return {}

    def tidy_up(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE message_history, archive_message_history")


def _selected(spark: SparkSession, job: Job) -> Reading:
    rows = selectors.with_old_attempts(lines_of(job), before=age_limit_of(job))
    return selected(spark, dsn=database_dsn(), queries=store_queries(rows, last_id_of(job)))
