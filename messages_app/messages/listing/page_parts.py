"""
The parts around the rows of the list: actions for selected messages, new messages, progress of the search,
and why the list is empty.

Source of the actions: docs/contributing/spec/cleverbus.md, "Restart and cancel".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.contrib.auth.models import User
from django.utils.http import urlencode

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.core.lists import counts
from messages_app.core.lists.counts import EXACT_COUNT_MS
from messages_app.core.lists.downloads import MAX_ROWS
from messages_app.core.pagination.paginator import Page
from messages_app.messages.attachment import Feature, refusal_of
from messages_app.messages.available_actions import ACTIONS
from messages_app.messages.filters.branches import tables_of_filter
from messages_app.messages.filters.message_filter import (
    ARCHIVED,
    CONTENT,
    MessageFilter,
    natural_order,
)
from messages_app.messages.selectors import message_page
from messages_app.messages.services import hub_rules

MAX_SELECTED = 500


@dataclass(frozen=True, kw_only=True)
class Choice:
    """
    One button for the selected messages.

    Args:
        name: the parameter `action`.
        label: the text of the button.
        icon: the name of its symbol.
        states: the allowed states. Messages in other states, and archived ones, disable the button.
        of_archive: for archived messages only, in any state.
        most: the maximum number of messages.
    """

    name: str
    label: str
    icon: str
    states: tuple[str, ...]
    of_archive: bool = False
    most: int = MAX_SELECTED


# The ids are in one address, and servers accept about 4 000 characters.
MAX_RESTORED = 150


RESTORE = Choice(name="restore", label="Restore", icon="undo", states=(), of_archive=True, most=MAX_RESTORED)


def action_choices(user: Caller) -> Iterator[Choice]:
    """Yield the actions that this user may perform on selected messages by the hub's rules."""
    if refusal_of(Feature.ACT):
        return
    for spec in ACTIONS.values():
        if user.has_perm(spec.permission):
            states = tuple(sorted(hub_rules().allowed_from(spec.action)))
            yield Choice(name=spec.name, label=spec.choice, icon=spec.action, states=states)


def choices_of(filters: MessageFilter, user: Caller) -> Iterator[Choice]:
    """Yield the actions of this user for messages of the list: live ones, archived ones, or both."""
    if not filters.is_archived:
        yield from action_choices(user)
    may_restore = user.has_perms([roles.CAN_ARCHIVE, roles.CAN_VIEW_JOBS])
    if may_restore and (filters.is_archived or filters.is_anywhere):
        yield RESTORE


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
class Parts:
    """
    The context of the partial templates of list.html.

    Args:
        query: the list's canonical query string, with exact times and its order; no question mark.
        histogram_query: the same, with the order only if it is not the natural order of the filter.
        choices: the actions for selected messages.
        filters: the filter of the list; the page offers jobs on all messages that match.
        progress: the progress of a search that runs step by step.
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


def parts_of(
    *, page: Page, filters: MessageFilter, ordering: str, user: User, earlier_rows: int | None = None
) -> Parts:
    """
    Return the parts around one page of the list.

    Args:
        earlier_rows: how many rows a search had found that the page continues; None: it continues none.
    """
    rows_so_far = len(page.rows) + (earlier_rows or 0)
    query = list_query(filters, ordering)
    is_first = page.previous_cursor is None
    is_live = is_first and ordering.startswith("-") and _may_change(filters)
    return Parts(
        query=query,
        histogram_query=filters.as_query() if ordering == natural_order(filters) else query,
        choices=list(choices_of(filters, user)),
        filters=filters,
        progress=search_progress(page, filters, ordering=ordering, rows_so_far=rows_so_far),
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


def list_query(filters: MessageFilter, ordering: str) -> str:
    return urlencode([*filters.as_pairs(), ("ordering", ordering)])


def list_removable_filters(filters: MessageFilter) -> list[str]:
    """Return the filters that a list without messages may do without; empty if it has only one."""
    names = [name for name in filters.values if name != ARCHIVED]
    if len(names) < 2:
        return []
    return [CONTENT] if CONTENT in names else names  # content may not be searched without its time range


def find_excluding_filters(filters: MessageFilter) -> list[str]:
    """Return the filters without which the list has a message, as far as the time allows."""
    return counts.find_excluding_filters(filters.values, list_removable_filters(filters), _read_page)


def _read_page(values: Mapping[str, object], *, page_size: int, patience: float) -> Page:
    return message_page(filters=MessageFilter(values), page_size=page_size, patience=patience)
