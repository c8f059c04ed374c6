"""
The results of the list around its rows: their number, the progress of the search, the actions on selected
messages, and the addresses of the parts that follow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.contrib.auth.models import User
from django.utils.http import urlencode

from messages_app.core.lists.counts import EXACT_COUNT_MS, Counted
from messages_app.core.lists.downloads import MAX_ROWS
from messages_app.core.pagination.paginator import Page
from messages_app.messages import selectors
from messages_app.messages.available_actions import MAX_SELECTED, Choice, choices_of
from messages_app.messages.filters.branches import tables_of_filter
from messages_app.messages.filters.message_filter import CONTENT, MessageFilter, natural_order

# Each time a search has found this many rows, it continues only on request.
MAX_SEARCHED_ROWS = 200


@dataclass(frozen=True, kw_only=True)
class Progress:
    """
    Args:
        looked_until: when the last searched message was received; None if it no longer exists.
        percent: of the time range; None without a range, or if the list is not in the order of receipt.
        cursor: of the page that continues.
        in_payloads: whether payloads are searched.
        continues: whether the page continues immediately when it is open.
    """

    looked_until: datetime | None
    percent: int | None
    cursor: str
    in_payloads: bool
    continues: bool = True


def search_progress(
    page: Page, filters: MessageFilter, *, ordering: str, rows_so_far: int = 0
) -> Progress | None:
    """Return the progress of a page; None if the page is full or the list ends."""
    if page.looked_until is None or page.next_cursor is None:
        return None
    column = ordering.removeprefix("-")
    at, msg_id = cast(tuple[datetime, int], page.looked_until)
    looked_until = at if column == "receive_timestamp" else _received_at(msg_id, filters)
    return Progress(
        looked_until=looked_until,
        percent=_percent_searched(looked_until, filters, ordering),
        cursor=page.next_cursor,
        in_payloads=CONTENT in filters.values,
        continues=rows_so_far // MAX_SEARCHED_ROWS == (rows_so_far - len(page.rows)) // MAX_SEARCHED_ROWS,
    )


def _received_at(msg_id: int, filters: MessageFilter) -> datetime | None:
    for table in tables_of_filter(filters):
        received = (
            table._default_manager.filter(pk=msg_id).values_list("receive_timestamp", flat=True).first()
        )
        if received is not None:
            return cast(datetime, received)
    return None


def _percent_searched(looked_until: datetime | None, filters: MessageFilter, ordering: str) -> int | None:
    start = cast("datetime | None", filters.values.get("receive_timestamp_from"))
    stop = cast("datetime | None", filters.values.get("receive_timestamp_to"))
    if start is None or stop is None or stop <= start or looked_until is None:
        return None
    if ordering.removeprefix("-") != "receive_timestamp":
        return None
    done = stop - looked_until if ordering.startswith("-") else looked_until - start
    return max(0, min(99, int(100 * (done / (stop - start)))))


@dataclass(frozen=True, kw_only=True)
class Results:
    """
    The results of one page of the list, for _list_results.html.

    Args:
        query: the list's canonical query string, with exact times and its order; no question mark.
        histogram_query: the same, with the order only if it is not the natural order of the filter.
        choices: the actions for selected messages.
        filters: the filter of the list; the page offers jobs on all messages that match.
        progress: the progress of a search that runs step by step.
        counted: the number of messages; None if it is less than the page itself has.
        counts_failing: whether this is the number of all failing messages, which changes with it.
        newer_query: the query for new messages, on the first page of a list in descending order.
        is_first, is_last: whether the page begins, or ends, the list.
        rows: how many are on the page.
        rows_so_far: how many the search has found, with those of the pages that it continues.
        is_continuation: whether the page continues a search that is open.
    """

    query: str
    histogram_query: str
    choices: Sequence[Choice]
    filters: MessageFilter
    progress: Progress | None
    counted: Counted | None
    counts_failing: bool
    newer_query: str
    is_first: bool
    is_last: bool
    rows: int
    rows_so_far: int = 0
    is_continuation: bool = False
    most_selected: int = MAX_SELECTED
    most_exported: int = MAX_ROWS
    seconds_to_count: int = EXACT_COUNT_MS // 1000

    @property
    def more_query(self) -> str | None:
        """The query of the page that continues the search."""
        return f"{self.query}&{urlencode({'cursor': self.progress.cursor})}" if self.progress else None


def describe_results(
    *, page: Page, filters: MessageFilter, ordering: str, user: User, earlier_rows: int | None = None
) -> Results:
    """
    Return what is around the rows of one page of the list.

    Args:
        earlier_rows: how many rows a search had found that the page continues; None: it continues none.
    """
    rows_so_far = len(page.rows) + (earlier_rows or 0)
    query = urlencode([*filters.as_pairs(), ("ordering", ordering)])
    is_first = page.previous_cursor is None
    is_live = is_first and ordering.startswith("-") and _may_change(filters)
    counted = _count_rows(filters, page)
    return Results(
        query=query,
        histogram_query=filters.as_query() if ordering == natural_order(filters) else query,
        choices=list(choices_of(filters, user)),
        filters=filters,
        progress=search_progress(page, filters, ordering=ordering, rows_so_far=rows_so_far),
        counted=counted,
        counts_failing=counted is not None and _is_of_failing(filters),
        newer_query=f"{query}&{urlencode({'cursor': page.newer_cursor})}" if is_live else "",
        is_first=is_first,
        is_last=page.next_cursor is None,
        rows=len(page.rows),
        rows_so_far=rows_so_far,
        is_continuation=earlier_rows is not None,
    )


def _may_change(filters: MessageFilter) -> bool:
    """Whether to poll for new messages: the archive does not change, and payloads take too long."""
    return not filters.is_archived and CONTENT not in filters.values


def _count_rows(filters: MessageFilter, page: Page) -> Counted | None:
    """Return the number of messages; None if it is less than the page itself has."""
    counted = selectors.quick_count(filters)
    is_possible = counted.number >= len(page.rows) if counted.is_exact else counted.number > len(page.rows)
    return counted if is_possible else None


def _is_of_failing(filters: MessageFilter) -> bool:
    """Whether the number is that of all failing messages, which changes with it. That of a group does not."""
    return filters.failure_group is None and selectors.failing_count(filters) is not None
