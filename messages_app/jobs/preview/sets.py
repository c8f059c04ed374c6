"""The set of a job, for each kind of job, in disjoint pieces."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce
from django.http import QueryDict

from messages_app.core.statements import Statements
from messages_app.jobs.job_request import JobRequest
from messages_app.jobs.kinds.options import DEFAULT_MONTHS
from messages_app.jobs.kinds.spec import KindSpec, Rows, Selects
from messages_app.jobs.preview.deadline import Deadline
from messages_app.jobs.preview.estimates import Estimate, sum_estimates
from messages_app.jobs.preview.samples import how_many
from messages_app.messages.failures.models import FailureMember
from messages_app.messages.filters.branches import split_into_parts
from messages_app.messages.filters.message_filter import (
    ANYWHERE,
    ARCHIVED,
    STATE,
    MessageFilter,
    parse_message_filter,
)
from messages_app.messages.parquet_archive.models import ColdMessage
from messages_app.shared.message_states import FINAL_STATES, MessageState

statements = Statements("messages_app.jobs")


@dataclass(frozen=True, kw_only=True)
class Piece:
    """
    A part of the set.

    Args:
        is_acted_on: the job changes messages in these states; otherwise it skips them all.
    """

    rows: QuerySet
    is_acted_on: bool = True


def filter_of_request(request: JobRequest) -> MessageFilter:
    """
    Return the filter of a job as the plan of the job reads it.

    Raises:
        Problem: 400, a parameter is wrong.
    """
    values = QueryDict(mutable=True)
    for name, value in request.filter.items():
        values.setlist(name, [str(each) for each in (value if isinstance(value, list) else [value])])
    parsed = parse_message_filter(values, user=request.user, other_parameters=())
    spec = request.spec
    if spec.selects is Selects.UNGROUPED_FAILURES:
        return MessageFilter({STATE: (MessageState.FAILED,), ARCHIVED: ANYWHERE})
    if spec.rows is Rows.ARCHIVED:
        return MessageFilter({**parsed.values, ARCHIVED: True})
    return parsed


def cutoff_of(request: JobRequest) -> datetime | None:
    """Return the age limit of an archive job by the database's clock; None for other kinds."""
    if not request.spec.has_age_limit:
        return None
    months = request.options.get("older_than_months") or DEFAULT_MONTHS
    cutoff: datetime
    _, cutoff = statements.only_row("freeze_point", {"older_than_months": months})
    return cutoff


def pieces_of_set(
    spec: KindSpec, filters: MessageFilter, *, cutoff: datetime | None, allowed: Collection[str] | None
) -> list[Piece]:
    """
    Return the set in pieces.

    Args:
        allowed: states in which the job changes messages; None: all. An archive job's set has no other
        states.
    """
    pieces = []
    for rows in _iterate_tables(spec, filters):
        states = set(filters.states)
        acting = states & set(allowed) if states and allowed is not None else states or set(allowed or ())
        if cutoff is not None:
            pieces.append(Piece(rows=_old_enough(rows, acting, cutoff)))
            continue
        if acting or allowed is None:
            pieces.append(Piece(rows=rows.filter(state__in=sorted(acting)) if acting else rows))
        if allowed is None:
            continue
        others = (
            rows.filter(state__in=sorted(states - acting))
            if states
            else rows.exclude(state__in=sorted(acting))
        )
        if not states or states - acting:
            pieces.append(Piece(rows=others, is_acted_on=False))
    return pieces


def _iterate_tables(spec: KindSpec, filters: MessageFilter) -> Iterator[QuerySet]:
    """Yield the rows of each table that match the filter, in any state."""
    stateless = MessageFilter({name: value for name, value in filters.values.items() if name != STATE})
    for part in split_into_parts(stateless):
        if part.others.model is ColdMessage and not spec.reads_parquet:
            continue
        rows = part.rows
        if spec.selects is Selects.UNGROUPED_FAILURES:
            rows = rows.filter(~Exists(FailureMember.objects.filter(msg_id=OuterRef("msg_id"))))
        yield rows


def _old_enough(rows: QuerySet, states: Collection[str], cutoff: datetime) -> QuerySet:
    return _with_age(rows.filter(state__in=sorted(states))).filter(age__lt=cutoff)


def _with_age(rows: QuerySet) -> QuerySet:
    return rows.alias(age=Coalesce("last_process_timestamp", "receive_timestamp"))


def kept_for_age(
    spec: KindSpec, filters: MessageFilter, cutoff: datetime, deadline: Deadline
) -> Estimate | None:
    """Return the number of final messages of the filter that are too young; None: not known in time."""
    states = sorted(set(filters.states) & FINAL_STATES if filters.states else FINAL_STATES)
    young = [
        _with_age(rows.filter(state__in=states)).filter(age__gte=cutoff)
        for rows in _iterate_tables(spec, filters)
    ]
    return _sum_known_estimates([how_many(rows, deadline) for rows in young])


def in_parquet(filters: MessageFilter, deadline: Deadline) -> Estimate | None:
    """
    Return the number of messages of the filter that are in Parquet files.

    None if there are Parquet files and counting the messages that match takes too long.
    """
    if not filters.values.get(ARCHIVED) or deadline.run_within(ColdMessage.objects.exists) is False:
        return Estimate.from_count(0)
    cold = [part.rows for part in split_into_parts(filters) if part.others.model is ColdMessage]
    return _sum_known_estimates([how_many(rows, deadline) for rows in cold]) if cold else None


def _sum_known_estimates(numbers: list[Estimate | None]) -> Estimate | None:
    estimates = [number for number in numbers if number is not None]
    return sum_estimates(estimates) if len(estimates) == len(numbers) else None
