"""The driver of restart and cancel jobs, and of jobs that undo a cancel."""

from dataclasses import dataclass

from pyspark.sql import SparkSession

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.driver import Driver, queries_of_set
from messages_app.jobs.kinds.registry import rivals_of
from messages_app.jobs.models import Job
from messages_app.jobs.preview.pace import expected_duration
from messages_app.messages.attachment import hub_time_zone
from messages_app.messages.services import hub_rules
from messages_app.shared.job_records import SetReport
from messages_app.shared.message_states import MessageAction
from spark_tasks.actions.transitions import PutBack, Transition
from spark_tasks.contract import Action, JobKey
from spark_tasks.correction_summary import judge_resent
from spark_tasks.plans.plan_writer import write_plan
from spark_tasks.plans.selection import plan_rows, read_selection, with_reasons
from spark_tasks.ranges import Reading
from spark_tasks.set_summary import SummaryOptions, summarise_set

# Messages per chunk: one or two seconds of work. The hub never waits for locks on more rows than this.
_CHUNK_MESSAGES = 5_000


@dataclass(frozen=True)
class Transitions(Driver):
    """
    Changes the state of the messages of a filter.

    Source: docs/contributing/spec/cleverbus.md, "Restart and cancel".
    """

    message_action: MessageAction

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        return write_plan(plan_rows(self._judge_set(spark, job)), key=key, chunk_size=_CHUNK_MESSAGES)

    def preview(self, spark: SparkSession, *, job: Job) -> SetReport:
        options = SummaryOptions(
            dsn=database_dsn(), rivals=rivals_of(job.kind), restart_total=self._restart_total(job)
        )
        summary = summarise_set(self._judge_set(spark, job), options=options)
        return summary | expected_duration(job, summary)

    def make_action(self, job: Job) -> Action:
        if job.undo_of is not None:
            return PutBack(origin_id=job.undo_of)
        return Transition(
            action=self.message_action,
            allowed=tuple(sorted(self._allowed_states(job))),
            new_state=hub_rules().leads_to(self.message_action),
            total=bool(job.options.get("total")),
            spares_resent=self._is_sparing_resent(job),
            zone=hub_time_zone(),
        )

    def _judge_set(self, spark: SparkSession, job: Job) -> Reading:
        """Return the set with the reasons of all messages that the job will skip, as far as is known now."""
        messages = read_selection(spark, dsn=database_dsn(), queries=queries_of_set(job))
        judged = with_reasons(messages, allowed=self._allowed_states(job))
        return judge_resent(judged, dsn=database_dsn()) if self._is_sparing_resent(job) else judged

    def _is_sparing_resent(self, job: Job) -> bool:
        """Whether the job leaves out messages that were corrected and resent, as restarts do."""
        return self.message_action is MessageAction.RESTART and not job.options.get("also_resent")

    def _restart_total(self, job: Job) -> bool | None:
        return bool(job.options.get("total")) if self.message_action is MessageAction.RESTART else None

    def _allowed_states(self, job: Job) -> frozenset[str]:
        if job.undo_of is not None:
            return frozenset({hub_rules().leads_to(self.message_action)})
        return hub_rules().allowed_from(self.message_action)
