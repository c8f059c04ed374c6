"""
The driver of jobs that group failures from before the console was installed.

Source: docs/contributing/decisions/0009-failure-groups.md.
"""

from typing import Final

import psycopg
from pyspark.sql import SparkSession

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.driver import CannotRun, Driver
from messages_app.jobs.models import Job
from messages_app.shared.job_records import JobReport, SetReport
from spark_tasks.contract import Action, JobKey
from spark_tasks.failure_groups import count_history, group_history

GROUPED: Final = "grouped"


class GroupingFailures(Driver):
    """
    Groups all failures that are in no group, live and archived, in one transaction.

    No message is changed, and the whole job is one transaction. So it has no frozen set and no ledger: an
    attempt that fails leaves nothing behind, and the next one starts again.
    """

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        try:
            grouped = group_history(spark, dsn=key.dsn)
        except psycopg.errors.LockNotAvailable:
            raise CannotRun("Another job is grouping failures. Wait until it finishes.") from None
        Job.objects.filter(pk=job.pk).update(report={**job.report, GROUPED: grouped})
        return 0

    def preview(self, spark: SparkSession, *, job: Job) -> SetReport:
        failures = count_history(spark, dsn=database_dsn())
        return {"planned": failures, "by_state": {"FAILED": failures}, "skipped": {}, "samples": []}

    def make_action(self, job: Job) -> Action:
        raise CannotRun("This kind of job has no messages.")

    def finish(self, job: Job) -> JobReport:
        """Return the number of failures that were grouped."""
        return {GROUPED: job.report.get(GROUPED, 0)}
