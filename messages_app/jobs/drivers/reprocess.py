"""
The drivers of the message store's jobs: reprocess, with a dry run of its first messages, and archive_history.

Source: docs/contributing/spec/message_store.md, "Operator actions".
"""

import logging
import time
from collections import Counter

from django.db import connection
from django.db.models import CharField, Exists, OuterRef, QuerySet, Value
from django.db.models.functions import Cast, Coalesce
from pyspark.sql import SparkSession

from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.lists.branches import planned_rows
from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.driver import Driver, age_limit_of, last_id_of
from messages_app.jobs.kinds.registry import rivals_of
from messages_app.jobs.models import Job, JobRefusal
from messages_app.jobs.preview.pace import expected_duration
from messages_app.jobs.stores.message_store import store_filter
from messages_app.message_store.errors import MessageMissing
from messages_app.message_store.selectors.messages import matching_lines, with_old_attempts, with_refreshed
from messages_app.message_store.services.dry_run import DryRun, Effect, make_dry_run
from messages_app.message_store.tasks import monitor_message_store
from messages_app.shared.job_records import DryRunMessage, DryRunReport, SetReport
from messages_app.shared.job_states import Outcome
from messages_app.shared.store_states import may_reprocess
from spark_tasks.actions.reprocess import ArchiveHistory, Reprocess, judge_messages, reason_of
from spark_tasks.contract import Action, JobKey
from spark_tasks.plans.plan_writer import write_plan
from spark_tasks.plans.selection import Query, plan_rows, read_selection, with_reasons
from spark_tasks.ranges import Reading, split_ids
from spark_tasks.set_summary import SummaryOptions, summarise_set

logger = logging.getLogger(__name__)

# Messages per chunk. Triggers update the lines and counts of each message.
_CHUNK_MESSAGES = 2_000
# Messages per chunk, each with all its old attempts.
_CHUNK_HISTORIES = 1_000


class Reprocessing(Driver):
    """Resets the messages of a filter. The workers of the monitor process them again."""

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        return write_plan(plan_rows(_select_with_reasons(spark, job)), key=key, chunk_size=_CHUNK_MESSAGES)

    def preview(self, spark: SparkSession, *, job: Job) -> SetReport:
        """Return the counts, and in `rehearsal` the changes that the first messages would make."""
        summary = summarise_set(
            _select_with_reasons(spark, job),
            options=SummaryOptions(dsn=database_dsn(), rivals=rivals_of(job.kind)),
        )
        return store_report(summary) | expected_duration(job, summary) | {"rehearsal": dry_run_of(job)}

    def make_action(self, job: Job) -> Action:
        return Reprocess()

    def tidy_up(self) -> None:
        """Start the scan of the monitor immediately."""
        try:
            monitor_message_store.apply_async(retry=False, expires=60)
        except Exception:  # Any error of the broker's client.
            logger.warning(
                "The broker did not accept the scan of the monitor; the scheduler will start the next one."
            )


def _select_with_reasons(spark: SparkSession, job: Job) -> Reading:
    messages = read_selection(
        spark,
        dsn=database_dsn(),
        queries=store_queries(lines_of(job), last_id_of(job)),
    )
    return judge_messages(messages, refresh_entities=job.options.get("refresh_entities") or ())


class ArchivingHistory(Driver):
    """
    Moves attempts that are older than the limit to the archive. The newest attempt of each message stays.

    Messages, process rows and records do not change, so other jobs may have the same messages.
    """

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        return write_plan(
            plan_rows(_select_histories(spark, job)), key=key, chunk_size=_CHUNK_HISTORIES, claims=False
        )

    def preview(self, spark: SparkSession, *, job: Job) -> SetReport:
        judged = with_reasons(_select_histories(spark, job), allowed=None)
        summary = summarise_set(judged, options=SummaryOptions(dsn=database_dsn()))
        return store_report(summary) | expected_duration(job, summary)

    def make_action(self, job: Job) -> Action:
        return ArchiveHistory(cutoff=age_limit_of(job).isoformat())

    def tidy_up(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE message_history, archive_message_history")


def _select_histories(spark: SparkSession, job: Job) -> Reading:
    rows = with_old_attempts(lines_of(job), before=age_limit_of(job))
    return read_selection(spark, dsn=database_dsn(), queries=store_queries(rows, last_id_of(job)))


_STORE_MESSAGES_A_TASK, _STORE_MAX_TASKS = 100_000, 64


def lines_of(job: Job) -> QuerySet:
    """
    Return the messages that match a job's filter, or that failed in the job that it retries.

    Failed messages that have been muted are left out, as the filter does.
    """
    values = store_filter(job.filter).values
    if job.retry_of is None:
        return matching_lines(values)
    refusals = JobRefusal.objects.filter(job_id=job.retry_of, outcome__startswith=f"{Outcome.FAILED}:")
    muted = {name: value for name, value in values.items() if name == "muted"}
    return matching_lines(muted).filter(Exists(refusals.filter(msg_id=OuterRef("pk"))))


def store_report(summary: SetReport) -> SetReport:
    """Return the summary with the counts renamed to the columns of the message store."""
    report = summary.copy()
    report["by_system"] = report.pop("by_service")
    report["by_entity"] = report.pop("by_error")
    del report["by_funnel"]
    return report


def store_queries(rows: QuerySet, last_number: int) -> list[Query]:
    """
    Return disjoint queries for `rows` up to the last number.

    Each gives number, status, system and entity, and the entity that a refresh message refreshes, instead of
    selection.COLUMNS.
    """
    rows = rows.order_by()
    parts = max(1, min(_STORE_MAX_TASKS, planned_rows(rows.values("pk")) // _STORE_MESSAGES_A_TASK))
    cuts = split_ids(first=0, end=last_number + 1, parts=parts)
    return [_compiled_store_query(rows.filter(pk__gte=start, pk__lt=end)) for start, end in cuts]


def _compiled_store_query(rows: QuerySet) -> Query:
    status = Coalesce(Cast("status", CharField()), Value(""))
    lines = with_refreshed(rows).annotate(code=status)
    columns = ("number", "code", "source_system", "source_entity", "refreshed")
    sql, params = lines.values_list(*columns).query.sql_with_params()
    return sql, tuple(params)


# The messages of a preview that are attempted, and the time for all of them.
_MAX_MESSAGES, _SECONDS = 200, 20.0
_CHOOSING_MS = 5_000
# The number of messages that are checked to find some that the job would process.
_LOOKED_THROUGH = 2_000
_MAX_ERROR = 255


def dry_run_of(job: Job) -> DryRunReport:
    """
    Return the changes that an attempt at each of the job's first messages would make. Writes nothing.

    Returns:
        `by_status` counts messages by their status after the attempt; `records` counts new, changed and
        unchanged records, and records `ended` by a refresh; `messages` has the identifier, status, error and
        records of each message.
    """
    end = time.monotonic() + _SECONDS
    by_status: Counter[str] = Counter()
    records: Counter[str] = Counter()
    messages: list[DryRunMessage] = []
    for identifier in _first_of(job):
        if time.monotonic() > end:
            break
        try:
            attempt = make_dry_run(identifier)
        except MessageMissing:
            continue
        by_status[str(int(attempt.status))] += 1
        record = _record_of(identifier, attempt)
        records.update(record["records"])
        messages.append(record)
    return {
        "looked_at": len(messages),
        "by_status": dict(by_status),
        "records": dict(records),
        "messages": messages,
    }


def _first_of(job: Job) -> list[str]:
    """Return the identifiers of messages that the job would process; empty if the query takes too long."""
    rows = matching_lines(store_filter(job.filter).values).filter(pk__lte=last_id_of(job))
    chosen = with_refreshed(rows).values_list("message_identifier", "status", "refreshed")
    named = frozenset(job.options.get("refresh_entities") or ())
    try:
        with time_limit(_CHOOSING_MS):
            candidates = list(chosen.order_by("message_timestamp", "number")[:_LOOKED_THROUGH])
    except TooSlow:
        return []
    free = [
        identifier
        for identifier, status, refreshed in candidates
        if may_reprocess(status) and reason_of(str(status or 0), refreshed, named=named) is None
    ]
    return free[:_MAX_MESSAGES]


def _record_of(identifier: str, attempt: DryRun) -> DryRunMessage:
    counts = {str(effect): attempt.count(effect) for effect in Effect}
    return {
        "identifier": identifier,
        "status": int(attempt.status),
        "error": attempt.errors[0][:_MAX_ERROR] if attempt.errors else "",
        "records": counts | {"ended": attempt.ended, "taken_back": attempt.taken_back},
    }
