"""
The queue as a list, by creation: read queue by queue and service by service in the order of their indexes,
and merged.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.filters.table import Values, make_lookups, range_of, write_values
from messages_app.core.pagination.incremental_scan import PATIENCE
from messages_app.core.pagination.keyset import Branch, Order
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, Page, fetch_page, parse_ordering
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements
from messages_app.cp_queue.models import CpDeferred, CpMessage, CpReady, CpReservation, CpRetry
from messages_app.cp_queue.selectors.log import MESSAGES
from messages_app.cp_queue.states import State, state_of

statements = Statements("messages_app.cp_queue")


NEWEST_FIRST = Order(column="created", key="messageguid", descending=True)
OLDEST_FIRST = Order(column="created", key="messageguid")
ORDERS = (NEWEST_FIRST, OLDEST_FIRST)
# Maximum number of queues, and of services in queues, that a list is merged from.
_MAX_BRANCHES, _MAX_RESERVED = 60, 50_000
# The messages in a state; without a state, and reserved ones: all of them.
_MODELS: Mapping[State | None, type[CpMessage | CpReady | CpDeferred]] = {
    State.FREE: CpReady,
    State.DEFERRED: CpDeferred,
    State.PARKED: CpDeferred,
}


@dataclass(frozen=True, kw_only=True)
class Described:
    """
    One message with its columns of the side tables.

    Args:
        not_before: of a deferred one.
        attempts: dispatches with RETRY.
        reserved_at: None: it is free, or was reserved outside the console.
    """

    messageguid: str
    queuename: str
    osid: int
    ostype: int
    created: datetime
    lock_service: str | None
    state: State
    not_before: datetime | None
    attempts: int
    reserved_at: datetime | None


def message_page(
    *,
    values: Values,
    ordering: str | None = None,
    cursor: str | None = None,
    page_size: int = DEFAULT_PAGE_SIZE,
    patience: float = PATIENCE,
) -> Page:
    """
    Return one page of the queue; its rows are described by `describe_messages`.

    Args:
        values: of selectors/log.py MESSAGES.
        patience: the seconds to search for rows that no index finds.

    Raises:
        Problem: 400, the cursor or the order is not one of this list, or it needs a queue or a service.
    """
    branches = list(_iterate_branches(values))
    if len(branches) > _MAX_BRANCHES:
        raise bad_field(
            "queuename", "required", "queuename is required: there are too many queues or services."
        )
    return fetch_page(
        branches or [Branch(rows=CpMessage.objects.none())],
        order=parse_ordering(ordering, ORDERS),
        cursor=cursor,
        page_size=page_size,
        scope=str(write_values(MESSAGES, values)),
        patience=patience,
    )


def _iterate_branches(values: Values) -> Iterator[Branch]:
    plain = make_lookups(MESSAGES, values)
    state = values.get("state")
    if state in {None, State.RESERVED}:
        yield from _reserved_messages(values, plain)
    if state is State.RESERVED or "lock_service" in values:
        return
    model = _MODELS.get(state, CpMessage)
    conditions = {"lock_service": None, **plain}
    if model is CpDeferred:
        conditions["not_before__isnull"] = state is State.PARKED
    rows = model.objects.filter(**conditions)
    for queue in _list_queues(values):
        if "osid" in values:
            yield Branch(rows=rows.filter(queuename=queue), is_few=True)
        else:
            is_sparse = model is CpDeferred
            passed = model.objects.filter(lock_service=None, **range_of(plain, NEWEST_FIRST.column))
            scan = passed if is_sparse else None
            yield Branch(rows=rows, constant=("queuename", queue), scan=scan)


def _reserved_messages(values: Values, plain: Mapping[str, object]) -> Iterator[Branch]:
    """Yield the messages of each service in each queue; there are few such pairs."""
    rows = CpMessage.objects.filter(lock_service__isnull=False, **plain)
    for service, queue, _ in statements.fetch_rows("holdings", {"fence": _MAX_RESERVED}):
        if values.get("lock_service", service) != service or values.get("queuename", queue) != queue:
            continue
        of_queue = rows.filter(queuename=queue)
        # No other index has this order, so plain equality uses the right one.
        yield Branch(rows=of_queue.filter(lock_service=service), is_few="osid" in values)


def _list_queues(values: Values) -> Sequence[str]:
    if "queuename" in values:
        return [values["queuename"]]
    return statements.fetch_column("queue_names", {"most": _MAX_BRANCHES + 1})


def describe_messages(rows: Sequence[CpMessage]) -> list[Described]:
    """Return the messages with their columns of the side tables."""
    guids = [row.messageguid for row in rows]
    waiting = CpDeferred.objects.in_bulk(guids)
    retries = CpRetry.objects.in_bulk(guids)
    reservations = CpReservation.objects.in_bulk(guids)
    return [
        _describe_message(row, waiting.get(row.pk), retries.get(row.pk), reservations.get(row.pk))
        for row in rows
    ]


def _describe_message(
    row: CpMessage, waiting: CpDeferred | None, retry: CpRetry | None, reservation: CpReservation | None
) -> Described:
    not_before = waiting.not_before if waiting else None
    is_known = reservation is not None and reservation.checkguid == row.checkguid
    return Described(
        messageguid=row.messageguid,
        queuename=row.queuename,
        osid=row.osid,
        ostype=row.ostype,
        created=row.created,
        lock_service=row.lock_service,
        state=state_of(
            service=row.lock_service,
            waits=waiting is not None,
            not_before=not_before,
        ),
        not_before=not_before,
        attempts=retry.attempts if retry else 0,
        reserved_at=reservation.reserved_at if reservation and is_known else None,
    )
