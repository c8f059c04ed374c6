"""
The interface between the runner and each kind of job: its plan, its action and its report; and the queries
that read the set of a job, by its filter or from the ledger of the job that it follows.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, Protocol

from django.db.models import CharField, Exists, F, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from pyspark.sql import SparkSession

from messages_app.core.lists.branches import planned_rows
from messages_app.jobs.models import Job, JobChunk, JobItem, JobRefusal, LedgerRow
from messages_app.jobs.stores.messages import message_filter
from messages_app.messages.filters.branches import split_into_querysets
from messages_app.messages.filters.message_filter import MessageFilter
from messages_app.messages.models import Message
from messages_app.shared.job_records import JobReport, SetReport
from messages_app.shared.job_states import Outcome
from messages_app.shared.message_states import FINAL_STATES
from spark_tasks.contract import Action, JobKey
from spark_tasks.plans.selection import COLUMNS, Query
from spark_tasks.ranges import cover_ids

# Raises Fenced: the job was paused, stopped or taken over.
Note = Callable[[JobReport], None]


class Driver(Protocol):
    """The driver-side work of one kind of job. It keeps no state between calls."""

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        """Freeze the set: write its items and chunks. Return the number of chunks."""

    def preview(self, spark: SparkSession, *, job: Job) -> SetReport:
        """
        Return the report of a dry run. Writes nothing.

        The report has at least `planned`, `by_state`, `skipped` (by reason) and `samples` (the ids of ten
        messages that would be done).
        """

    def study_set(self, spark: SparkSession, *, key: JobKey, job: Job, note_report: Note) -> JobReport:
        """
        Do the work that needs the whole frozen set, before its chunks. Return additions to the report.

        It is called again after a pause or a crash, with the report as it is then.

        Args:
            note_report: stores a part of the report while the work continues.

        Raises:
            Fenced: the job was paused, stopped or taken over.
        """
        return {}

    def make_action(self, job: Job) -> Action:
        """
        Return the action that executors apply to each chunk.

        Raises:
            CannotRun: the job cannot be done; the message says why.
        """

    def finish(self, job: Job) -> JobReport:
        """Finish the job after its last chunk. Return additions to its report."""
        return {}

    def tidy_up(self) -> None:
        """Clean up after a job of this kind has ended. No one waits for this call."""
        return


class CannotRun(Exception):
    """The job cannot be done, now or later, and nothing was changed. Its text is the error of the job."""


# Messages per task: a small set is read quickly, a large set in constant memory.
_MESSAGES_A_TASK = 100_000
_MAX_TASKS = 64
# The number of rows at each end of a table whose ids may be far from the others.
_FEW_ROWS = 1_000

_KEY = "msg_id"
_STATE = "state"


def filter_of(job: Job) -> MessageFilter:
    """Return the stored filter of a job. It was checked for its creator when the job was accepted."""
    return message_filter(job.filter)


def last_id_of(job: Job) -> int:
    """Return the last id that the set of a job may have. Every job that reads a filter has one."""
    if job.last_msg_id is None:
        raise ValueError(f"Job {job.pk} has no last id.")
    return job.last_msg_id


def age_limit_of(job: Job) -> datetime:
    """Return the age limit of a job. `describe_stored_faults` refuses kinds that need one without it."""
    if job.cutoff is None:
        raise ValueError(f"Job {job.pk} has no age limit.")
    return job.cutoff


def queries_of_set(job: Job) -> list[Query]:
    """Return disjoint queries for the set of a job. Together they give selection.COLUMNS of each message."""
    if job.retry_of is not None:
        return list(_failed_in(job.retry_of))
    if job.undo_of is not None:
        return list(_done_by(job.undo_of))
    return filter_queries(filter_of(job), last_id_of(job))


def filter_queries(filters: MessageFilter, last_msg_id: int, *, with_parquet: bool = False) -> list[Query]:
    """Return disjoint queries for the messages of a filter up to the last id, in Parquet files if wanted."""
    return [
        query
        for rows in split_into_querysets(filters, with_parquet=with_parquet)
        for query in split_into_ranges(rows, last_msg_id)
    ]


def plan_queries(job: Job, *, messages_a_task: int) -> list[Query]:
    """Return disjoint queries for the frozen messages of a job, with their states when they were frozen."""
    items = JobItem.objects.filter(job_id=job.pk).annotate(**{_STATE: F("old_state")}, **_no_other_columns())
    return [
        _compile_query(items.filter(chunk_no__gte=start, chunk_no__lt=end))
        for start, end in _chunk_ranges(job.pk, messages_a_task)
    ]


def archive_queries(job: Job) -> list[Query]:
    """
    Return disjoint queries for the messages of an archive job that are final and old enough.

    These messages match its filter or, for a retry, failed in the job that it retries.
    """
    if job.retry_of is not None:
        return list(_failed_in(job.retry_of, messages=_rows_old_enough(Message.objects.all(), job)))
    return [
        query
        for rows in split_into_querysets(filter_of(job))
        for query in split_into_ranges(_rows_old_enough(rows, job), last_id_of(job))
    ]


def _rows_old_enough(rows: QuerySet, job: Job) -> QuerySet:
    """Return the rows of final messages that are older than the age limit."""
    age = Coalesce("last_process_timestamp", "receive_timestamp")
    return rows.filter(state__in=sorted(FINAL_STATES)).alias(age=age).filter(age__lt=age_limit_of(job))


def split_into_ranges(rows: QuerySet, last_msg_id: int) -> list[Query]:
    """Return queries that give selection.COLUMNS, one for each range of message ids up to the last id."""
    rows = rows.order_by()
    parts = _number_of_tasks(planned_rows(rows.values("pk")))
    first, last = _find_usual_ids(rows.model.objects.values_list("pk", flat=True))
    cuts = cover_ids(first=first, last=min(last, last_msg_id), parts=parts)
    return [
        _compile_query(rows.filter(msg_id__gte=start, msg_id__lte=min(end, last_msg_id)))
        for start, end in cuts
        if start <= last_msg_id
    ]


def _number_of_tasks(messages: int, messages_a_task: int | None = None) -> int:
    return max(1, min(_MAX_TASKS, messages // (messages_a_task or _MESSAGES_A_TASK)))


def _find_usual_ids(ids: QuerySet[Any, int], name: str = "pk") -> tuple[int, int]:
    """
    Return two of these ids, with few of them below the first and above the second.

    Ranges of the same width between the very first and last id could leave almost all messages to one task.

    Args:
        name: the column of the ids.
    """
    first, last = (ids.order_by(order)[_FEW_ROWS : _FEW_ROWS + 1].first() for order in (name, f"-{name}"))
    return (0, 0) if first is None or last is None else (first, last)


def _compile_query(rows: QuerySet) -> Query:
    sql, params = rows.values_list(*COLUMNS).query.sql_with_params()
    return sql, tuple(params)


def _done_by(job_id: int) -> Iterator[Query]:
    """
    Yield queries for the messages that a job has done, each with the state that the job gave it.

    The messages themselves are not read. Messages that are gone or have changed are in the set too, and are
    skipped with the reason when their chunk is processed.
    """
    done = LedgerRow.objects.filter(job_id=job_id, chunk_has_done=True, outcome=Outcome.DONE)
    done = done.annotate(**{_STATE: Coalesce("new_state", "old_state")}, **_no_other_columns())
    for start, end in _chunk_ranges(job_id):
        yield _compile_query(done.filter(chunk_no__gte=start, chunk_no__lt=end))


def _no_other_columns() -> dict[str, Value]:
    return {name: Value(None, output_field=CharField()) for name in COLUMNS if name not in {_KEY, _STATE}}


def _chunk_ranges(job_id: int, messages_a_task: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of ranges of chunk numbers, each with about the same number of messages."""
    rows = JobChunk.objects.filter(job_id=job_id).order_by("chunk_no")
    chunks = list(rows.values_list("chunk_no", "planned"))
    total = sum(planned for _, planned in chunks)
    a_task = total / _number_of_tasks(total, messages_a_task)
    start, messages = None, 0
    for chunk_no, planned in chunks:
        start = chunk_no if start is None else start
        messages += planned
        if messages >= a_task:
            yield start, chunk_no + 1
            start, messages = None, 0
    if start is not None:
        yield start, chunks[-1][0] + 1


def _failed_in(job_id: int, *, messages: QuerySet | None = None) -> Iterator[Query]:
    """
    Yield queries for the messages that failed in a job, with their current state or, if they are gone, the
    last one.

    Args:
        messages: the failed messages must be in this queryset; None: all failed messages.
    """
    refusals = JobRefusal.objects.filter(job_id=job_id)
    failed = refusals.filter(outcome__startswith=f"{Outcome.FAILED}:")
    if messages is not None:
        failed = failed.filter(Exists(messages.filter(msg_id=OuterRef("msg_id"))))
    parts = _number_of_tasks(planned_rows(failed))
    with_messages = failed.annotate(**_as_now())
    first, last = _find_usual_ids(refusals.values_list("msg_id", flat=True), "msg_id")
    for start, end in cover_ids(first=first, last=last, parts=parts):
        yield _compile_query(with_messages.filter(msg_id__gte=start, msg_id__lte=end))


def _as_now() -> dict[str, Any]:
    message = Message.objects.filter(msg_id=OuterRef("msg_id"))
    now: dict[str, Any] = {name: Subquery(message.values(name)) for name in COLUMNS if name != _KEY}
    return now | {_STATE: Coalesce(now[_STATE], F("old_state"))}
