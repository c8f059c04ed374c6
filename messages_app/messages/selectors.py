"""
Queries for lists, details and counts of messages.

No list reads a payload or counts.

Source: docs/contributing/spec/design.md, R-9; docs/contributing/spec/interfaces.md, "Messages".
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.lists.branches import planned_rows
from messages_app.core.lists.counts import Counted
from messages_app.core.pagination.incremental_scan import PATIENCE
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, Order, Page, fetch_page, parse_ordering
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements
from messages_app.messages.attachment import (
    Feature,
    NotAttachedForThis,
    current_attachment,
    has_index_of_changes,
    is_attached,
)
from messages_app.messages.failures.incident_source import count_failing
from messages_app.messages.fields import CONTENT_COLUMNS, LONG_COLUMNS
from messages_app.messages.filters.branches import (
    leave_out_wide_columns,
    split_into_branches,
    split_into_querysets,
)
from messages_app.messages.filters.message_filter import (
    CONTENT,
    FACET_COLUMNS,
    FACETS,
    FAILURE_GROUP,
    INCIDENT,
    STATE,
    MessageFilter,
    name_exclusion,
)
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.metrics.failing import failing_now
from messages_app.messages.metrics.kinds import Kind, count_messages, read_kinds
from messages_app.messages.models import Message
from messages_app.messages.tables import locate_all, locate_message
from messages_app.shared.message_states import MessageState

ORDERS = (
    Order(column="msg_id", key="msg_id", descending=True),
    Order(column="msg_id", key="msg_id"),
    Order(column="receive_timestamp", key="msg_id", descending=True),
    Order(column="receive_timestamp", key="msg_id"),
)

# Orders of the API, also by the last change. Messages that were never processed have none.
BY_CHANGE = (
    Order(column="last_process_timestamp", key="msg_id", descending=True, nullable=True),
    Order(column="last_process_timestamp", key="msg_id", nullable=True),
)
API_ORDERS = (*ORDERS, *BY_CHANGE)
_INDEX_OF_CHANGES = "the index hubc_message_last_process_idx, which `attach --create-indexes` creates"

_SUMMARY_CHARACTERS = 200
# A page has little time to count, and an exact number above this says no more than an estimate.
_QUICK_COUNT_MS, _MAX_COUNTED = 40, 10_000
_FAILING = {STATE: str(MessageState.FAILED)}
# The filters that stored totals can answer.
STORED = frozenset({*FACET_COLUMNS, *map(name_exclusion, FACET_COLUMNS)})

statements = Statements("messages_app.messages")


def message_page(
    *,
    filters: MessageFilter,
    ordering: str | None = None,
    cursor: str | None = None,
    page_size: int = DEFAULT_PAGE_SIZE,
    patience: float = PATIENCE,
    orders: Sequence[Order] = ORDERS,
) -> Page:
    """
    Return one page of messages, as narrow rows.

    A row has all columns except the wide ones, `archived`, which is whether it is in the archive, and
    `failed_summary`, which is the first line of failed_desc, up to 200 characters, or None. With
    archived=any, all rows are instances of Message.

    Args:
        patience: how many seconds the search for rows without an index may take; the page then has its
            position.
        orders: the orders of the list.

    Raises:
        Problem: 400, the list does not have this order, or the cursor is from another list.
        NotAttachedForThis: the attached hub has no index for this order.
    """
    order = parse_ordering(ordering, orders)
    if order in BY_CHANGE:
        _check_order_by_change(filters)
        # A range has no rows without a value: the planner would look for them along another index.
        order = replace(order, nullable=order.column not in filters.ranges)
    page = fetch_page(
        split_into_branches(filters, order),
        order=order,
        cursor=cursor,
        page_size=page_size,
        scope=filters.as_query(),
        patience=patience,
    )
    _add_failed_summaries(page.rows)
    return page


def _check_order_by_change(filters: MessageFilter) -> None:
    if filters.is_archived or filters.is_anywhere:
        text = "ordering by last_process_timestamp is for live messages only. Leave out archived."
        raise bad_field("ordering", "invalid_value", text)
    hub = current_attachment() if is_attached() else None
    if hub is not None and not has_index_of_changes(hub):
        raise NotAttachedForThis(Feature.LIST_BY_CHANGE, _INDEX_OF_CHANGES)


class ResendLinks(NamedTuple):
    """The message that a message corrects, and the message that corrects it; None without one."""

    resent_from: int | None
    resent_as: int | None


def resend_links(msg_id: int) -> ResendLinks:
    """Return the messages that are linked to this one because a payload was corrected and resent."""
    return ResendLinks(*statements.only_row("resend_links", {"msg_id": msg_id}))


def chosen_messages(msg_ids: Collection[int]) -> list[MessageColumns]:
    """Return the existing messages with these ids as narrow rows, newest id first."""
    messages: dict[int, Any] = locate_all(msg_ids, leave_out_wide_columns)
    _add_failed_summaries(list(messages.values()))
    return [messages[key] for key in sorted(messages, reverse=True)]


class _Listed(Protocol):
    """A row of a list."""

    pk: int
    archived: bool
    failed_summary: str | None


def _add_failed_summaries(rows: Sequence[_Listed]) -> None:
    """Read the first lines of the errors, after paging, so that the texts are not sorted with the rows."""
    if not rows:
        return
    values = {
        "live": [row.pk for row in rows if not row.archived],
        "archived": [row.pk for row in rows if row.archived],
        "most": _SUMMARY_CHARACTERS,
    }
    summaries: dict[tuple[bool, int], str] = {}
    for archived, msg_id, summary in statements.fetch_rows("failed_summaries", values, prepare=True):
        summaries.setdefault((archived, msg_id), summary)
    for row in rows:
        row.failed_summary = summaries.get((row.archived, row.pk))


def estimate_count(filters: MessageFilter) -> int:
    """Estimate the number of messages by the planner, without reading them."""
    return sum(planned_rows(rows.values("pk")) for rows in split_into_querysets(filters, with_parquet=True))


def count_exactly(filters: MessageFilter, *, timeout_ms: int) -> int:
    """
    Count the messages.

    Raises:
        TooSlow: counting took longer than `timeout_ms`.
    """
    with time_limit(timeout_ms):
        return sum(rows.count() for rows in split_into_querysets(filters, with_parquet=True))


def quick_count(filters: MessageFilter) -> Counted:
    """
    Return the number of messages of a list in a few milliseconds: an exact one for the messages that are
    failing now, for a filter by facets, and for other states except OK if there are not many; otherwise an
    estimate.
    """
    failing = failing_count(filters)
    if failing is not None:
        return Counted(number=failing, is_exact=True)
    stored = count_stored(filters)
    if stored is not None:
        return Counted(number=stored, is_exact=True)
    if _has_few(filters):
        try:
            with time_limit(_QUICK_COUNT_MS):
                number = sum(
                    rows.order_by()[: _MAX_COUNTED + 1].count() for rows in split_into_querysets(filters)
                )
        except TooSlow:
            pass
        else:
            if number <= _MAX_COUNTED:
                return Counted(number=number, is_exact=True)
    return Counted(number=estimate_count(filters), is_exact=False)


def count_stored(filters: MessageFilter) -> int | None:
    """Return the exact number of messages from stored totals; None if they do not have it."""
    if set(filters.values) - STORED:
        return None
    kinds = read_kinds()
    return None if kinds is None else count_messages(match_kinds(kinds, filters))


def match_kinds(kinds: Iterable[Kind], filters: MessageFilter) -> Iterator[Kind]:
    """Yield the kinds that the facets of a filter select."""
    conditions = []
    for name in FACETS:
        chosen = filters.states if name == STATE else filters.chosen_values(name)
        left_out = filters.left_out_values(name)
        if chosen or left_out:
            conditions.append((name, chosen, left_out))
    for kind in kinds:
        values = [(getattr(kind, name), chosen, left_out) for name, chosen, left_out in conditions]
        if all(
            (not chosen or value in chosen) and value not in left_out for value, chosen, left_out in values
        ):
            yield kind


def _has_few(filters: MessageFilter) -> bool:
    """Whether an index finds the messages of a filter. The planner may scan for those of a cause."""
    is_live = not (filters.is_archived or filters.is_anywhere)
    has_index = bool(filters.states) and MessageState.OK not in filters.states
    is_by_cause = filters.failure_group is not None or filters.incident is not None
    return is_live and has_index and CONTENT not in filters.values and not is_by_cause


def failing_count(filters: MessageFilter) -> int | None:
    """
    Return the number of messages that are failing now, of all, of a group or of an incident, if the filter
    selects them; None otherwise, or if the number is not exact.
    """
    words: dict[str, object] = dict(filters.as_pairs())
    if filters.incident is not None and words.pop(INCIDENT, None) and words == _FAILING:
        return count_failing(filters.incident)
    group_id = filters.failure_group if words.pop(FAILURE_GROUP, None) is not None else None
    if words != _FAILING:
        return None
    failing = failing_now()
    if group_id is None:
        return failing.count
    if not failing.is_by_group:
        return None
    return failing.groups[group_id].messages if group_id in failing.groups else 0


def has_more_than(count: int, filters: MessageFilter, *, timeout_ms: int) -> bool:
    """Return whether there are more messages than `count`; also True if counting takes too long."""
    try:
        with time_limit(timeout_ms):
            return (
                sum(
                    rows.order_by()[: count + 1].count()
                    for rows in split_into_querysets(filters, with_parquet=True)
                )
                > count
            )
    except TooSlow:
        return True


def get_message(msg_id: int) -> tuple[MessageColumns, bool]:
    """
    Return a message without its payload and envelope, and whether it is archived.

    Raises:
        MessageNotFound: neither the live table nor the archive has it.
        ArchiveUnreadable: the message is in a file that is missing or damaged.
    """
    return locate_message(msg_id, lambda rows: rows.defer(*CONTENT_COLUMNS), from_file=LONG_COLUMNS)


def locked_message(msg_id: int) -> MessageColumns:
    """
    Return a message like get_message, and lock a live one against changes until the transaction ends.

    Raises: as get_message.
    """
    live = Message.objects.select_for_update(no_key=True).defer(*CONTENT_COLUMNS)
    return live.filter(pk=msg_id).first() or get_message(msg_id)[0]
