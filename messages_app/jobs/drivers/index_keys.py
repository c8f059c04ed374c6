"""
The driver of jobs that extract business keys from messages that are already there.

Source: docs/how_it_works/business_keys.md, "Earlier messages".
"""

from pyspark.sql import SparkSession

from messages_app.audit.digests import subject_keys
from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.driver import Driver, filter_of, filter_queries, last_id_of, queries_of_set
from messages_app.jobs.models import Job
from messages_app.jobs.preview.pace import expected_duration
from messages_app.messages.parquet_archive.place import archive_storage
from messages_app.shared.job_records import SetReport
from spark_tasks.actions.keys import StoreKeys
from spark_tasks.contract import JobKey
from spark_tasks.plans.plan_writer import write_plan
from spark_tasks.plans.selection import (
    Query,
    each_once,
    plan_rows,
    read_selection,
    with_reasons,
    write_selection,
)
from spark_tasks.set_summary import SummaryOptions, summarise_set

# Messages of a transaction, during which no subject is erased.
_CHUNK_MESSAGES = 1_000


class IndexingKeys(Driver):
    """Stores the keys of messages, live, in the archive tables and in Parquet files. Changes no message."""

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        queries = _queries_of_set(job)
        if job.retry_of is None and filter_of(job).is_anywhere:
            # A message can be in two places while it is being archived.
            rows = plan_rows(each_once(read_selection(spark, dsn=key.dsn, queries=queries)))
            return write_plan(rows, key=key, chunk_size=_CHUNK_MESSAGES, claims=False)
        return write_selection(spark, key=key, queries=queries, chunk_size=_CHUNK_MESSAGES)

    def preview(self, spark: SparkSession, *, job: Job) -> SetReport:
        messages = read_selection(spark, dsn=database_dsn(), queries=_queries_of_set(job))
        options = SummaryOptions(dsn=database_dsn())
        summary = summarise_set(with_reasons(messages, allowed=None), options=options)
        return summary | expected_duration(job, summary)

    def make_action(self, job: Job) -> StoreKeys:
        return StoreKeys(
            definition_id=job.options.get("definition_id"), storage=archive_storage(), own_keys=subject_keys()
        )


def _queries_of_set(job: Job) -> list[Query]:
    """Return disjoint queries for the set of a job. A message may be in two of them while it is moved."""
    if job.retry_of is not None:
        return queries_of_set(job)
    return filter_queries(filter_of(job), last_id_of(job), with_parquet=True)
