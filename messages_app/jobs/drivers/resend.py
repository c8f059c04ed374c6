"""The driver of jobs that correct payloads by find and replace, and resend the messages."""

from pyspark.sql import SparkSession

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.driver import Driver, queries_of_set
from messages_app.jobs.kinds.registry import rivals_of
from messages_app.jobs.models import Job
from messages_app.jobs.preview.changes import replacement_of
from messages_app.jobs.preview.pace import expected_duration
from messages_app.messages.attachment import hub_time_zone
from messages_app.messages.services import hub_rules
from messages_app.shared.job_records import SetReport
from spark_tasks.actions.resend import Resend
from spark_tasks.contract import Action, JobKey
from spark_tasks.correction_summary import judge_corrections, summarise_changes
from spark_tasks.plans.plan_writer import write_plan
from spark_tasks.plans.selection import plan_rows, read_selection, with_reasons
from spark_tasks.ranges import Reading
from spark_tasks.set_summary import SummaryOptions, summarise_set

# Messages per chunk, each with its payload of at most a megabyte.
_CHUNK_MESSAGES = 200


class Resending(Driver):
    """
    Sends corrected messages as new ones.

    Source: docs/contributing/spec/cleverbus.md, "Correct and resend".
    """

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        return write_plan(plan_rows(_judge_set(spark, job)), key=key, chunk_size=_CHUNK_MESSAGES)

    def preview(self, spark: SparkSession, *, job: Job) -> SetReport:
        """Return the counts, and in `changes` every kind of change to the payloads."""
        options = SummaryOptions(dsn=database_dsn(), rivals=rivals_of(job.kind))
        summary = summarise_set(_judge_set(spark, job), options=options)
        changes = summarise_changes(
            _select_with_reasons(spark, job), dsn=database_dsn(), replacement=replacement_of(job.options)
        )
        return summary | expected_duration(job, summary) | {"changes": changes}

    def make_action(self, job: Job) -> Action:
        return Resend(
            replacement=replacement_of(job.options),
            cancel_original=bool(job.options["cancel_original"]),
            rules=hub_rules().name,
            zone=hub_time_zone(),
        )


def _select_with_reasons(spark: SparkSession, job: Job) -> Reading:
    messages = read_selection(spark, dsn=database_dsn(), queries=queries_of_set(job))
    return with_reasons(messages, allowed=hub_rules().resend_from)


def _judge_set(spark: SparkSession, job: Job) -> Reading:
    """Return the set with the reasons of all messages that would not be sent, as far as is known now."""
    messages = _select_with_reasons(spark, job)
    return judge_corrections(messages, dsn=database_dsn(), replacement=replacement_of(job.options))
