"""
The history as lines, one for both entries of a document; and the undetermined documents by age.

Every list is read trigger by trigger, each by an index in the list's order, and merged.

Source: docs/contributing/spec/document_history.md, "Console".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Now

from messages_app.core.filters.table import (
    Filter,
    Values,
    filters_by_name,
    make_lookups,
    range_of,
    text_filter,
    time_range,
    write_values,
)
from messages_app.core.filters.values import parse_choice, parse_flag
from messages_app.core.pagination.incremental_scan import PATIENCE
from messages_app.core.pagination.keyset import Branch, Order
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, Page, fetch_page, parse_ordering
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements
from messages_app.document_history.models import (
    MAX_TRIGGER_ID,
    DocumentHistory,
    DocumentOpen,
    DocumentTrigger,
    HistoryLine,
)
from messages_app.document_history.states import MAX_UUID, EntryStatus, InDoubtState, Pair, Verdict

statements = Statements("messages_app.document_history")


# Filters of the lists. Source: docs/contributing/spec/document_history.md, "Console".
_TRIGGER = text_filter("trigger_id", MAX_TRIGGER_ID, lookup="")

ENTRIES = filters_by_name(
    _TRIGGER,
    text_filter("uuid", MAX_UUID, lookup="document_uuid"),
    text_filter("uuid_prefix", MAX_UUID, lookup="document_uuid__startswith"),
    Filter(
        name="state",
        lookup="",
        parse=parse_choice,
        choices=tuple(Pair),
        description="processing: undetermined, it may run or have died; both; completed: alone.",
    ),
    Filter(name="expired", lookup="", parse=parse_flag, description="true: waits for the sweeper."),
    *time_range("time"),
)
IN_DOUBT = filters_by_name(
    _TRIGGER,
    Filter(
        name="state",
        lookup="state",
        parse=parse_choice,
        choices=tuple(InDoubtState),
        description="open: the inbox.",
    ),
)
STATISTICS = filters_by_name(
    _TRIGGER,
    Filter(
        name="status",
        lookup="status",
        parse=parse_choice,
        choices=(Verdict.DUPLICATE, Verdict.IN_DOUBT),
        description="Deliveries that were New are not listed.",
    ),
    *time_range("at"),
)


NEWEST_FIRST = Order(column="time", key="line_no", descending=True)
OLDEST_FIRST = Order(column="time", key="line_no")
ORDERS = (NEWEST_FIRST, OLDEST_FIRST)
# For a prefix, the order of the unique key.
_BY_UUID = Order(column="document_uuid", key="line_no")
# Maximum number of triggers that a list is merged from.
_MAX_TRIGGERS = 60


@dataclass(frozen=True, kw_only=True)
class EntryLine:
    """
    One document of a trigger.

    Args:
        time: when its processing started.
        expires_at: by the trigger's current time to live; None if the trigger is unknown.
        is_expired: the entry waits for the sweeper, and is used until then.
        is_orphaned: its trigger is deleted, unknown, or no longer uses the history, so no check reads it.
    """

    trigger_id: str
    trigger_name: str
    document_uuid: str
    pair: Pair
    time: datetime
    expires_at: datetime | None
    is_expired: bool
    is_orphaned: bool


def entry_page(
    *,
    values: Values,
    ordering: str | None = None,
    cursor: str | None = None,
    page_size: int = DEFAULT_PAGE_SIZE,
    patience: float = PATIENCE,
) -> Page:
    """
    Return one page of the history; `entry_lines` describes its rows.

    Args:
        values: of selectors/entries.py ENTRIES. With state=processing, only undetermined documents.
        patience: the seconds to search for rows that no index finds.

    Raises:
        Problem: 400, the cursor or the order does not belong to this list, or a trigger is required.
    """
    order = _BY_UUID if "uuid_prefix" in values else parse_ordering(ordering, ORDERS)
    branches = [_branch_of_trigger(values, trigger_id, order) for trigger_id in _list_triggers(values)]
    return fetch_page(
        branches or [Branch(rows=HistoryLine.objects.none())],
        order=order,
        cursor=cursor,
        page_size=page_size,
        scope=str(write_values(ENTRIES, values)),
        patience=patience,
    )


def trigger_ids(limit: int) -> list[str]:
    """Return the ids of triggers that are known or have entries, up to `limit`."""
    return statements.fetch_column("trigger_ids", {"limit": limit})


def _list_triggers(values: Values) -> Sequence[str]:
    if "trigger_id" in values:
        return [values["trigger_id"]]
    ids = trigger_ids(_MAX_TRIGGERS + 1)
    if len(ids) > _MAX_TRIGGERS:
        raise bad_field("trigger_id", "required", "trigger_id is required: there are too many triggers.")
    return ids


def _branch_of_trigger(values: Values, trigger_id: str, order: Order) -> Branch:
    lines = (
        _undetermined_documents() if values.get("state") == Pair.PROCESSING_ONLY else _filter_lines(values)
    )
    times = _conditions_on_times(values, trigger_id)
    rows = lines.filter(times, **make_lookups(ENTRIES, values))
    if "uuid" in values:
        return Branch(rows=rows.filter(trigger_id=trigger_id), is_few=True)
    by_uuid = order is _BY_UUID
    passed = Q(document_uuid__startswith=values["uuid_prefix"]) if by_uuid else times
    is_sparse = values.get("state") in {Pair.BOTH, Pair.COMPLETED_ONLY} or (by_uuid and times)
    return Branch(
        rows=rows,
        constant=("trigger_id", trigger_id),
        scan=lines.model.objects.filter(passed) if is_sparse else None,
    )


def _conditions_on_times(values: Values, trigger_id: str) -> Q:
    """Return the conditions on times, including whether entries have expired."""
    times = Q(**range_of(make_lookups(ENTRIES, values), NEWEST_FIRST.column))
    if "expired" not in values:
        return times
    return times & (_is_expired(trigger_id) if values["expired"] else ~_is_expired(trigger_id))


def _filter_lines(values: Values) -> QuerySet:
    lines = HistoryLine.objects.all()
    if values.get("state") == Pair.BOTH:
        return lines.filter(has_processing=True, has_completed=True)
    return lines.filter(has_processing=False) if values.get("state") == Pair.COMPLETED_ONLY else lines


def _undetermined_documents() -> QuerySet:
    """
    Return the open documents. The history is checked too, because entries may be written in an unusual order.
    """
    entries = DocumentHistory.objects.filter(
        trigger_id=OuterRef("trigger_id"), document_uuid=OuterRef("document_uuid")
    )
    return DocumentOpen.objects.annotate(has_processing=Value(True), has_completed=Value(False)).filter(
        Exists(entries.filter(status=EntryStatus.PROCESSING)),
        ~Exists(entries.filter(status=EntryStatus.COMPLETED)),
    )


def _is_expired(trigger_id: str) -> Q:
    """
    Return the condition for expired entries: a time to live after their start. Without a trigger they never
    expire.
    """
    ttl = DocumentTrigger.objects.filter(pk=trigger_id).values_list("history_ttl_seconds", flat=True).first()
    if ttl is None:
        return Q(time__isnull=True)
    return Q(time__lte=Now() - timedelta(seconds=ttl))


def entry_lines(rows: Iterable[Any]) -> list[EntryLine]:
    """
    Return the lines of a page with the columns of their triggers.

    Args:
        rows: lines of the history, or open documents in the same form.
    """
    lines = list(rows)
    triggers = DocumentTrigger.objects.annotate(now=Now()).in_bulk({row.trigger_id for row in lines})
    now = next((trigger.now for trigger in triggers.values()), None)
    return [_describe_entry(row, triggers.get(row.trigger_id), now) for row in lines]


def _describe_entry(row: Any, trigger: DocumentTrigger | None, now: datetime | None) -> EntryLine:
    pair = Pair.of_entries(processing=row.has_processing, completed=row.has_completed)
    if pair is None:
        raise ValueError(f"The document {row.document_uuid!r} has no entry.")
    expires_at = row.time + timedelta(seconds=trigger.history_ttl_seconds) if trigger else None
    return EntryLine(
        trigger_id=row.trigger_id,
        trigger_name=trigger.name if trigger else "",
        document_uuid=row.document_uuid,
        pair=pair,
        time=row.time,
        expires_at=expires_at,
        is_expired=expires_at is not None and now is not None and expires_at <= now,
        is_orphaned=trigger is None or trigger.deleted_at is not None or not trigger.use_history,
    )
