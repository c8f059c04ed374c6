"""The queries that read a job's set: of its filter, or of the ledger of the job it follows."""

from django.db.models import QuerySet
from django.http import QueryDict

from messages_app.jobs.models import Job, JobRefusal, LedgerRow
from messages_app.jobs.states import Outcome
from messages_app.messages.filtering.branches import planned_rows, querysets
from messages_app.messages.filtering.filters import MessageFilter, parse
from messages_app.messages.models import Message
from spark_tasks.ranges import split_ids
from spark_tasks.selection import COLUMNS, Query

# One task for so many messages: a small set is read quickly, a large one in flat memory.
_MESSAGES_A_TASK = 100_000
_MAX_TASKS = 64


def filter_of(job: Job) -> MessageFilter:
    """Return the filter that the job keeps; it was checked for its maker when the job was accepted."""
    values = QueryDict(mutable=True)
    for name, found in job.filter.items():
        values.setlist(name, found if isinstance(found, list) else [found])
    return parse(values, user=None)


def set_queries(job: Job) -> list[Query]:
    """Return queries that share no message and together give the job's set: selection.COLUMNS of each."""
    return [query for rows in _querysets(job) for query in _ranges(rows, job.last_msg_id)]


def _querysets(job: Job) -> list[QuerySet]:
    if job.retry_of is not None:
        failed = JobRefusal.objects.filter(job_id=job.retry_of, outcome__startswith=f"{Outcome.FAILED}:")
        return [Message.objects.filter(msg_id__in=failed.values("msg_id"))]
    if job.undo_of is not None:
        done = LedgerRow.objects.filter(job_id=job.undo_of, outcome=Outcome.DONE)
        return [Message.objects.filter(msg_id__in=done.values("msg_id"))]
    return querysets(filter_of(job))


def _ranges(rows: QuerySet, last_msg_id: int) -> list[Query]:
    rows = rows.order_by()
    tasks = max(1, min(_MAX_TASKS, planned_rows(rows.values("pk")) // _MESSAGES_A_TASK))
    cuts = split_ids(first=_first_id(rows), end=last_msg_id + 1, parts=tasks)
    return [_compiled(rows.filter(msg_id__gte=start, msg_id__lt=end)) for start, end in cuts]


def _first_id(rows: QuerySet) -> int:
    """Return the first id of the table; the set begins there or later."""
    return rows.model.objects.order_by("pk").values_list("pk", flat=True).first() or 0


def _compiled(rows: QuerySet) -> Query:
    sql, params = rows.values_list(*COLUMNS).query.sql_with_params()
    return sql, tuple(params)
