"""
The driver of jobs that extract business keys from messages that are already there.

Source: docs/how_it_works/business_keys.md, "Earlier messages".
"""

from pyspark.sql import SparkSession

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.driver import Driver, filter_of, set_queries
from messages_app.jobs.models import Job
from messages_app.jobs.preview.pace import expected_duration
from messages_app.shared.job_records import SetReport
from spark_tasks.actions.keys import StoreKeys
from spark_tasks.contract import JobKey
from spark_tasks.plans.plan_writer import write_plan
from spark_tasks.plans.selection import each_once, plan_rows, read_selection, with_reasons, write_selection
from spark_tasks.set_summary import SummaryOptions, summarise_set

# Messages of a transaction, during which no subject is erased.
_CHUNK_MESSAGES = 1_000


class IndexingKeys(Driver):
    """Stores the keys of messages, live and in the archive tables. Changes no message."""

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        queries = set_queries(job)
        if job.retry_of is None and filter_of(job).is_anywhere:
            # A message can be in both tables while it is being archived.
            rows = plan_rows(each_once(read_selection(spark, dsn=key.dsn, queries=queries)))
            return write_plan(rows, key=key, chunk_size=_CHUNK_MESSAGES, claims=False)
        return write_selection(spark, key=key, queries=queries, chunk_size=_CHUNK_MESSAGES)

    def preview(self, spark: SparkSession, *, job: Job) -> SetReport:
        messages = read_selection(spark, dsn=database_dsn(), queries=set_queries(job))
        options = SummaryOptions(dsn=database_dsn())
        summary = summarise_set(with_reasons(messages, allowed=None), options=options)
        return summary | expected_duration(job, summary)

    def make_action(self, job: Job) -> StoreKeys:
        return StoreKeys(definition_id=job.options.get("definition_id"))
