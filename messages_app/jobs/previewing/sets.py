"""What a job of each kind would be about: the parts of its set, each with the ways to look into it."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Coalesce
from django.http import QueryDict

from messages_app.jobs.sql import statement
from messages_app.jobs.states import JobKind
from messages_app.messages.cold.models import ColdMessage
from messages_app.messages.filtering.branches import parts
from messages_app.messages.filtering.choices import ANYWHERE
from messages_app.messages.filtering.filters import ARCHIVED, STATE, MessageFilter, parse
from messages_app.messages.models import Message
from messages_app.messages.states import FINAL_STATES, MessageState
from messages_app.web.keyset import Order
from messages_app.web.lists.branches import Part, plan

KEY = "msg_id"
AGE = "age"
# Filters of which the planner has statistics of their own.
_PLAIN = frozenset(
    {STATE, "source_system", "service_name", "operation_name", "entity_type", "funnel_component_id"}
    | {"failed_error_code"}
)
# By the planner's measure of cost, some ten thousand rows: a short look.
_MOST_COST = 20_000
# Their sets have an age limit.
_AGED = frozenset({JobKind.ARCHIVE, JobKind.ARCHIVE_HISTORY})
_NEXT = {True: timedelta(microseconds=1), False: 1}


@dataclass(frozen=True, kw_only=True)
class Path:
    """
    One index by which a part's rows are found, and others with them: rows of a constant, within bounds.

    Args:
        column: what the index is in the order of: msg_id, a time, or AGE.
        constant: (column, value) that the index has before.
        bounds: of `column`, as lookups.
    """

    rows: QuerySet
    column: str
    constant: tuple[str, object] | None
    bounds: Mapping[str, object]

    @property
    def found(self) -> QuerySet:
        rows = self.rows
        if self.constant is not None:
            # As a range: only the index that has the constant before offers this order (web/keyset.py).
            name, value = self.constant
            rows = rows.filter(**{f"{name}__gte": value, f"{name}__lte": value})
        return rows.filter(**self.bounds)

    @property
    def sorting(self) -> list[str]:
        return [name for name in (self.constant and self.constant[0], self.column) if name]

    def interval(self) -> tuple[object, object] | None:
        """Return [first, end) of the column's values; None where there is no row."""
        first = self.found.order_by(*self.sorting).values_list(self.column, flat=True).first()
        if first is None:
            return None
        last = self.found.order_by(*[f"-{name}" for name in self.sorting]).values_list(self.column, flat=True)
        last = last.first()
        return first, last + _NEXT[isinstance(last, datetime)]


@dataclass(frozen=True, kw_only=True)
class Piece:
    """
    A part of the set, with the paths to it.

    Args:
        is_plain: of one condition on one column, which the planner knows better than a sample.
    """

    rows: QuerySet
    paths: list[Path]
    is_plain: bool = False

    def best_path(self) -> tuple[Path, int]:
        """Return the path with the fewest rows, as the planner expects, and how many these are."""
        planned = [(path, int(plan(path.found.values("pk"))["Plan Rows"])) for path in self.paths]
        return min(planned, key=lambda each: each[1])


def filter_of(filter: Mapping[str, object], *, kind: str, user: object | None) -> MessageFilter:
    """
    Return the filter of a job as its plan will read it.

    Raises:
        Problem: 400, a parameter is wrong.
    """
    values = QueryDict(mutable=True)
    for name, found in filter.items():
        values.setlist(name, [str(each) for each in (found if isinstance(found, list) else [found])])
    parsed = parse(values, user=user, besides=())
    if kind == JobKind.GROUP_FAILURES:
        return MessageFilter({STATE: (MessageState.FAILED,), ARCHIVED: ANYWHERE})
    if kind == JobKind.RESTORE:
        return MessageFilter({**parsed.values, ARCHIVED: True})
    return parsed


def cutoff_of(kind: str, options: Mapping[str, object]) -> datetime | None:
    """Return the age limit of an archive job by the database's clock, None where there is none."""
    months = options.get("older_than_months") if kind in _AGED else None
    if months is None:
        return None
    with connection.cursor() as cursor:
        cursor.execute(statement("freeze_point"), {"older_than_months": months})
        return cursor.fetchone()[1]


def pieces(
    filters: MessageFilter,
    *,
    cutoff: datetime | None,
    acted_on: Collection[str] = (),
    with_parquet: bool = False,
) -> list[Piece]:
    """
    Return the set in pieces that share no row.

    Args:
        acted_on: states in which the job does something. They are the rare ones, which a sample of the whole
            would miss, and indexes hold them: each is looked at by itself, apart from the rest.
        with_parquet: messages in Parquet files are in the set too.
    """
    if filters.is_empty and cutoff is not None:
        return [_old_enough(cutoff)]
    if filters.states or not acted_on:
        return [_piece(part, filters, cutoff) for part in _parts(filters, with_parquet)]
    chosen = MessageFilter({**filters.values, STATE: tuple(sorted(acted_on))})
    acting = [_piece(part, chosen, cutoff) for part in _parts(chosen, with_parquet)]
    rest = [_piece(part, filters, cutoff) for part in _parts(filters, with_parquet)]
    others = [
        replace(piece, rows=piece.rows.exclude(state__in=sorted(acted_on)), is_plain=False) for piece in rest
    ]
    return [*acting, *others]


def _parts(filters: MessageFilter, with_parquet: bool) -> list[Part]:
    return [part for part in parts(filters) if with_parquet or part.others.model is not ColdMessage]


def in_parquet(filters: MessageFilter) -> int | None:
    """
    Return how many messages of the filter lie in Parquet files, about where there are many.

    None where there are some, and neither an index nor a short look tells which of them the filter means.
    """
    if not filters.values.get(ARCHIVED) or not ColdMessage.objects.exists():
        return 0
    cold = [part.rows.values("pk") for part in parts(filters) if part.others.model is ColdMessage]
    counts = list(map(_counted, cold))
    return sum(counts) if cold and None not in counts else None


def _counted(rows: QuerySet) -> int | None:
    """Return how many rows there are; where they are many and an index has them, what the planner expects."""
    planned = plan(rows)
    if planned["Total Cost"] <= _MOST_COST:
        return rows.count()
    return None if "Seq Scan" in json.dumps(planned) else int(planned["Plan Rows"])


def kept_for_age(cutoff: datetime) -> int:
    """Return about how many final messages are too young."""
    return int(plan(_finals().filter(age__gte=cutoff).values("pk"))["Plan Rows"])


def _finals() -> QuerySet:
    return _aged(Message.objects.filter(state__in=sorted(FINAL_STATES)))


def _aged(rows: QuerySet) -> QuerySet:
    return rows.annotate(age=Coalesce("last_process_timestamp", "receive_timestamp"))


def _old_enough(cutoff: datetime) -> Piece:
    rows = _finals()
    path = Path(rows=rows, column=AGE, constant=None, bounds={"age__lt": cutoff})
    return Piece(rows=path.found, paths=[path])


def _piece(part: Part, filters: MessageFilter, cutoff: datetime | None) -> Piece:
    rows, paths = part.rows, list(_paths(part, filters))
    if cutoff is not None:
        rows, paths = _aged(rows).filter(age__lt=cutoff), [*paths, *_old_enough(cutoff).paths]
    asked = set(filters.values) - {ARCHIVED}
    is_plain = cutoff is None and len(asked) == 1 and asked <= _PLAIN
    return Piece(rows=rows, paths=paths, is_plain=is_plain)


def _paths(part: Part, filters: MessageFilter) -> Iterator[Path]:
    lookups = filters.lookups()
    for column in (KEY, *filters.ranges):
        bounds = {name: value for name, value in lookups.items() if name.partition("__")[0] == column}
        constant = part.constant(Order(column=column, key=KEY))
        path = Path(rows=part.others.model.objects.all(), column=column, constant=constant, bounds=bounds)
        yield path
        if constant is not None and bounds:
            yield replace(path, constant=None)
