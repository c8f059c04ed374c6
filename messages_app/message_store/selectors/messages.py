"""
The list of messages, newest first: the index that is read for each filter, and the content of a line.

Source: docs/contributing/spec/message_store.md, "Console"; docs/contributing/spec/design.md, R-9.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, Model, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

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
from messages_app.core.filters.values import InvalidValue, parse_flag, parse_text
from messages_app.core.pagination.incremental_scan import PATIENCE
from messages_app.core.pagination.keyset import Branch, Order
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, Page, fetch_page, parse_ordering
from messages_app.core.problems import quote_value
from messages_app.message_store.identifiers import LENGTH
from messages_app.message_store.models import (
    MAX_ERROR,
    MAX_KEY,
    MAX_NAME,
    MessageHistory,
    MessageLine,
    MessageProcess,
    MessageStore,
    UnresolvedReference,
)
from messages_app.message_store.services.records import keys_meant
from messages_app.shared.store_states import NAMES, Status, StatusClass, class_of, effective_status


# Filters of the list. Source: docs/contributing/spec/message_store.md, "Console".
def _parse_status(text: str, one: Filter) -> str:
    """Return a status as its digits; codes that no one has named are statuses too."""
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise InvalidValue(
            "invalid_value", f"{one.name} must be a status such as 10, not {quote_value(text)}."
        )
    return str(int(text))


MAX_IDENTIFIERS = 1000
_CODES = "; ".join(f"{int(status)} {name}" for status, name in NAMES.items())

MESSAGES = filters_by_name(
    Filter(
        name="status",
        lookup="",
        parse=_parse_status,
        most=999_999,
        repeatable=True,
        description=f"Any of several: {_CODES}. Other codes are shown unchanged.",
    ),
    text_filter("source_system", MAX_NAME, lookup=""),
    text_filter("source_entity", MAX_NAME, lookup=""),
    Filter(
        name="message_identifier",
        lookup="message_identifier__in",
        parse=parse_text,
        max_length=LENGTH,
        repeatable=True,
        most_values=MAX_IDENTIFIERS,
        description=f"Messages with these identifiers; at most {MAX_IDENTIFIERS}.",
    ),
    text_filter("user_name", MAX_NAME, lookup=""),
    Filter(name="refresh", lookup="", parse=parse_flag, description="true: replaces all data of its entity."),
    text_filter("missing_entity", MAX_NAME, lookup=""),
    Filter(
        name="missing_key",
        lookup="",
        parse=parse_text,
        max_length=MAX_KEY,
        description="Key of the missing record: its value, or a JSON array of its values.",
    ),
    text_filter("error_contains", MAX_ERROR, lookup=""),
    *time_range("message_timestamp"),
    *time_range("effective_timestamp"),
    *time_range("processed_timestamp"),
    *time_range("next_attempt_timestamp"),
    Filter(name="orphaned", lookup="", parse=parse_flag, description="true: part of the message is missing."),
    Filter(
        name="muted",
        lookup="",
        parse=parse_flag,
        description="true: muted by an operator. Jobs skip muted messages unless this filter is true.",
    ),
)
# The ones that the kept counts know.
COUNTED = frozenset({"status", "source_system", "source_entity"})


NEWEST_FIRST = Order(column="message_timestamp", key="number", descending=True)
OLDEST_FIRST = Order(column="message_timestamp", key="number")
ORDERS = (NEWEST_FIRST, OLDEST_FIRST)
_ORPHANS = Order(column="number", key="number", descending=True)

# Filters that no index of the list's order finds.
_SPARSE = frozenset(
    {
        "user_name",
        "refresh",
        "missing_entity",
        "missing_key",
        "error_contains",
        "orphaned",
        "status",
        "source_system",
        "source_entity",
        "next_attempt_timestamp_from",
        "next_attempt_timestamp_to",
        "effective_timestamp_from",
        "effective_timestamp_to",
        "processed_timestamp_from",
        "processed_timestamp_to",
    }
)
# The most messages with one missing record that are found by the index and sorted.
_FEW = 1_000
_IS_ORPHAN = Q(has_store=False) | Q(has_process=False)


@dataclass(frozen=True, kw_only=True)
class ListedMessage:
    """
    A message as lists and its page show it, without its data.

    Args:
        store, process: None where there is no such row: an orphan, or content that is kept elsewhere.
    """

    line: MessageLine
    store: MessageStore | None
    process: MessageProcess | None

    @property
    def status(self) -> int | None:
        """None: it has only history."""
        return self.line.status

    @property
    def status_class(self) -> StatusClass:
        return StatusClass.UNKNOWN if self.status is None else class_of(self.status)

    @property
    def orphan(self) -> str:
        """
        The missing part, in words; empty if the message is complete (docs/contributing/spec/message_store.md,
        "Console").
        """
        if self.line.has_store and self.line.has_process:
            return ""
        if self.line.has_process:
            return "no message in the store"
        return "no process row" if self.line.has_store else "history only"


def message_page(
    *,
    values: Values,
    ordering: str | None = None,
    cursor: str | None = None,
    page_size: int = DEFAULT_PAGE_SIZE,
    patience: float = PATIENCE,
) -> Page:
    """
    Return one page of lines; `listed` says the rest of them.

    Args:
        values: of selectors/messages.py MESSAGES.
        patience: the seconds to search for rows that no index finds.

    Raises:
        Problem: 400, the cursor or the order is not one of this list.
    """
    orphaned = values.get("orphaned") is True
    order = _ORPHANS if orphaned and ordering is None else parse_ordering(ordering, ORDERS)
    return fetch_page(
        _list_branches(values, is_narrow=order is _ORPHANS),
        order=order,
        cursor=cursor,
        page_size=page_size,
        scope=str(write_values(MESSAGES, values)),
        patience=patience,
    )


def listed_messages(lines: Sequence[MessageLine]) -> list[ListedMessage]:
    """Return lines with their store and process rows, in two queries."""
    keys = [line.message_identifier for line in lines]
    stores = MessageStore.objects.defer("data", "options").in_bulk(keys)
    processes = MessageProcess.objects.in_bulk(keys)
    return [
        ListedMessage(
            line=line,
            store=stores.get(line.message_identifier),
            process=processes.get(line.message_identifier),
        )
        for line in lines
    ]


def matching_lines(values: Values) -> QuerySet:
    """
    Return the lines that pass every filter, in no order: for counting, and for anyone who freezes a set.
    """
    rows = _filter_rows(values)
    for name in ("source_system", "source_entity"):
        if name in values:
            rows = rows.filter(**{name: values[name]})
    return rows.filter(status__in=_list_statuses(values)) if "status" in values else rows


def with_refreshed(rows: QuerySet) -> QuerySet:
    """Return lines with `refreshed`: of a refresh message the entity whose records it ends, else None."""
    return rows.annotate(refreshed=_look_up_column(MessageStore, "source_entity", refresh=True))


def with_old_attempts(rows: QuerySet, *, before: datetime) -> QuerySet:
    """Keep to the lines of messages that have an attempt before then, and a newer one."""
    attempts = MessageHistory.objects.filter(message_identifier=OuterRef("message_identifier"))
    times = attempts.order_by("processed_timestamp").values("processed_timestamp")
    newest = Subquery(attempts.order_by("-processed_timestamp").values("processed_timestamp")[:1])
    return rows.alias(oldest=Subquery(times[:1]), newest=newest).filter(
        oldest__lt=before, newest__gt=F("oldest")
    )


def _filter_rows(values: Values) -> QuerySet:
    """Return the lines, narrowed by all filters except the constants of a branch."""
    # Times that only the vendor's tables have; read only if a filter names them.
    rows = MessageLine.objects.alias(
        effective_timestamp=_look_up_column(MessageStore, "effective_timestamp"),
        processed_timestamp=_look_up_column(MessageProcess, "processed_timestamp"),
    ).filter(**make_lookups(MESSAGES, values))
    if "user_name" in values:
        rows = rows.alias(user=_look_up_column(MessageStore, "user_name")).filter(user=values["user_name"])
    if "refresh" in values:
        rows = rows.alias(refreshes=Coalesce(_look_up_column(MessageStore, "refresh"), False))
        rows = rows.filter(refreshes=values["refresh"])
    if missing := _lookups_of_missing(values):
        rows = rows.alias(missing=_look_up_column(UnresolvedReference, "entity", **missing))
        rows = rows.filter(missing__isnull=False)
    if "error_contains" in values:
        rows = rows.alias(error=_look_up_column(MessageProcess, "error_message"))
        rows = rows.filter(error__icontains=values["error_contains"])
    if "orphaned" in values:
        rows = rows.filter(_IS_ORPHAN if values["orphaned"] else ~_IS_ORPHAN)
    if "muted" in values:
        rows = rows.filter(muted_at__isnull=not values["muted"])
    return rows


def _lookups_of_missing(values: Values) -> dict[str, object]:
    """Return the lookups of references that the filters of missing records mean."""
    lookups = {"entity": values["missing_entity"]} if "missing_entity" in values else {}
    return lookups | (
        {"record_key__in": keys_meant(values["missing_key"])} if "missing_key" in values else {}
    )


def _who_lacks(values: Values) -> list[str] | None:
    """Return the messages that lack one record, by its index; None if they are many or no record is named."""
    if not {"missing_entity", "missing_key"} <= values.keys():
        return None
    rows = UnresolvedReference.objects.filter(**_lookups_of_missing(values)).order_by(
        "record_key", "message_identifier"
    )
    identifiers = list(rows.values_list("message_identifier", flat=True)[: _FEW + 1])
    return identifiers if len(identifiers) <= _FEW else None


def _look_up_column(model: type[Model], column: str, **more: object) -> Subquery:
    """Return a line's column of another table, by its key: a join might read all of that table."""
    rows = model._default_manager.filter(message_identifier=OuterRef("message_identifier"), **more)
    return Subquery(rows.values(column)[:1])


def _list_branches(values: Values, *, is_narrow: bool) -> Sequence[Branch]:
    """
    Return the branches of a list: by status where that is not what most messages have, else by entity or
    system.

    Rows that the branch's index cannot leave out are passed over, a limited number per request.
    """
    if "message_identifier" in values or is_narrow or values.get("muted"):
        return [Branch(rows=matching_lines(values), is_few="message_identifier" in values)]
    if (lacking := _who_lacks(values)) is not None:
        return [Branch(rows=matching_lines(values).filter(message_identifier__in=lacking), is_few=True)]
    held, constants = _constants_of_branches(values)
    rest = {name: value for name, value in values.items() if name != held}
    rows = _filter_rows(values)
    for name in ("source_system", "source_entity"):
        if name in rest:
            rows = rows.filter(**{name: rest[name]})
    if "status" in rest:
        rows = rows.filter(status__in=_list_statuses(values))
    is_sparse = bool(rest.keys() & _SPARSE)
    times = range_of(make_lookups(MESSAGES, values), NEWEST_FIRST.column)
    scan = MessageLine.objects.filter(**times) if is_sparse else None
    if held is None:
        return [Branch(rows=rows, scan=scan)]
    return [Branch(rows=rows, constant=(held, value), scan=scan) for value in constants]


def _constants_of_branches(values: Values) -> tuple[str | None, Sequence[object]]:
    """Return the column that the branches hold constant, and its values."""
    statuses = _list_statuses(values)
    if statuses and Status.PROCESSED not in statuses:
        return "status", statuses
    for name in ("source_entity", "source_system"):
        if name in values:
            return name, [values[name]]
    return ("status", statuses) if statuses else (None, [])


def _list_statuses(values: Values) -> list[int]:
    return [effective_status(int(text)) for text in values.get("status", ())]
