"""Reprocess jobs of the message store, seen from the driver. Source: spec/other-systems.md 2.7."""

import logging

from pyspark.sql import SparkSession

from messages_app.jobs.kinds.addresses import database_dsn
from messages_app.jobs.kinds.kind import Kind
from messages_app.jobs.kinds.rehearsing import rehearsal_of
from messages_app.jobs.kinds.stored import GROUPS, lines_of, store_queries
from messages_app.jobs.models import Job
from messages_app.jobs.previewing.pace import expected
from messages_app.message_store.tasks import monitor_message_store
from spark_tasks.actions import Action, JobKey
from spark_tasks.plans import write_plan
from spark_tasks.reading import Reading
from spark_tasks.reprocessing import Reprocess, judged
from spark_tasks.selection import plan_rows, selected
from spark_tasks.summaries import Asked, summarise

logger = logging.getLogger(__name__)

# Messages a chunk: their lines and counts follow by triggers.
_CHUNK_MESSAGES = 2_000


class Reprocessing(Kind):
    """Has the store's messages of a filter begin anew; the monitor's workers process them."""

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        return write_plan(plan_rows(_judged(spark, job)), key=key, chunk_size=_CHUNK_MESSAGES)

    def preview(self, spark: SparkSession, *, job: Job) -> dict[str, object]:
        """Return the counts, and under `rehearsal` what the first messages would change."""
        summary = summarise(_judged(spark, job), asked=Asked(dsn=database_dsn(), kind=job.kind))
        report = {GROUPS.get(name, name): value for name, value in summary.items() if name != "by_funnel"}
        return report | expected(job, summary) | {"rehearsal": rehearsal_of(job)}

    def action(self, job: Job) -> Action:
        return Reprocess()

    def ended(self, job: Job) -> dict[str, object]:
        return {}

    def tidy_up(self) -> None:
        """Have the monitor look at once, instead of at its next scan."""
        try:
            monitor_message_store.apply_async(retry=False, expires=60)
        except Exception:  # whatever the broker's client raises
            logger.warning("The broker did not take the monitor's scan; the scheduler's comes by itself.")


def _judged(spark: SparkSession, job: Job) -> Reading:
    messages = selected(
        spark,
        dsn=database_dsn(),
        queries=store_queries(lines_of(job), job.last_msg_id),
    )
    return judged(messages, refresh_entities=job.options.get("refresh_entities") or ())
