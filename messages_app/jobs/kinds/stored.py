"""The queries that read a job's set of messages of the message store."""

from django.db.models import CharField, Exists, OuterRef, QuerySet, Value
from django.db.models.functions import Cast, Coalesce

from messages_app.jobs.models import Job, JobRefusal
from messages_app.jobs.states import Outcome
from messages_app.jobs.stores.message_store import store_filter
from messages_app.message_store import queries
from messages_app.web.lists.branches import planned_rows
from spark_tasks.ranges import split_ids
from spark_tasks.selection import Query

_MESSAGES_A_TASK, _MAX_TASKS = 100_000, 64
# What a summary calls the columns of the hub's messages in whose places these stand.
GROUPS = {"by_service": "by_system", "by_error": "by_entity"}


def lines_of(job: Job) -> QuerySet:
    """
    Return the messages that a job's filter finds, or what failed in the job that it tries again.

    Of those that failed, what has been muted since is left, as a filter leaves it.
    """
    values = store_filter(job.filter).values
    if job.retry_of is None:
        return queries.matching(values)
    refusals = JobRefusal.objects.filter(job_id=job.retry_of, outcome__startswith=f"{Outcome.FAILED}:")
    kept = {name: value for name, value in values.items() if name == "muted"}
    return queries.matching(kept).filter(Exists(refusals.filter(msg_id=OuterRef("pk"))))


def store_queries(rows: QuerySet, last_number: int) -> list[Query]:
    """
    Return queries that share no message and together give `rows` up to the last number.

    Each gives, in the places of selection.COLUMNS: number, status, system, entity, and the entity that a
    refresh message refreshes.
    """
    rows = rows.order_by()
    parts = max(1, min(_MAX_TASKS, planned_rows(rows.values("pk")) // _MESSAGES_A_TASK))
    cuts = split_ids(first=0, end=last_number + 1, parts=parts)
    return [_compiled(rows.filter(pk__gte=start, pk__lt=end)) for start, end in cuts]


def _compiled(rows: QuerySet) -> Query:
    status = Coalesce(Cast("status", CharField()), Value(""))
    found = queries.with_refreshed(rows).annotate(code=status)
    columns = ("number", "code", "source_system", "source_entity", "refreshed")
    sql, params = found.values_list(*columns).query.sql_with_params()
    return sql, tuple(params)
