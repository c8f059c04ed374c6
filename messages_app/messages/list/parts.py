"""What surrounds the rows of the list: the pill for new ones, the search's progress, the selection."""

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
from messages_app.core.lists.downloads import MOST_ROWS
from messages_app.core.lists.filter_form import Link, ListForm
from messages_app.core.pagination.paginator import Page
from messages_app.messages.available_actions import ACTIONS
from messages_app.messages.filters.branches import tables
from messages_app.messages.filters.filters import (
    ANYWHERE,
    ARCHIVED,
    CONTENT,
    FAILURE_GROUP,
    FAMILY,
    FILTERS,
    STATE,
    MessageFilter,
    natural_order,
)
from messages_app.messages.filters.vocabulary import LABELS
from messages_app.messages.selectors import message_page
from messages_app.messages.services import rules
from messages_app.shared.message_states import STATE_MEANINGS, MessageState

# The actions for selected messages. Source: docs/spec/cleverbus.md, "Restart and cancel".


MOST_SELECTED = 500


@dataclass(frozen=True, kw_only=True)
class Choice:
    """
    One button for the chosen messages.

    Args:
        name: the parameter `action`.
        label: what the button says.
        icon: a symbol of the icon sheet.
        states: the ones that a message must be in; in another one, or archived, it is a reason against.
        of_archive: it is done to archived messages alone, in whatever state.
        most: so many at once.
    """

    name: str
    label: str
    icon: str
    states: tuple[str, ...]
    of_archive: bool = False
    most: int = MOST_SELECTED


# Their ids are one address, of which servers take some 4 000 characters.
MOST_RESTORED = 150
RESTORE = Choice(name="restore", label="Restore", icon="up", states=(), of_archive=True, most=MOST_RESTORED)


def choices(user: Caller) -> Iterator[Choice]:
    """Yield the actions that this user may perform on selected messages by the hub's rules."""
    for spec in ACTIONS.values():
        if user.has_perm(spec.permission):
            states = tuple(sorted(rules().allowed_from(spec.action)))
            yield Choice(name=spec.name, label=spec.choice, icon=spec.action, states=states)


def choices_of(filters: MessageFilter, user: Caller) -> Iterator[Choice]:
    """Yield what this user may do to messages chosen in such a list: live ones, archived ones, or both."""
    if not filters.archived:
        yield from choices(user)
    may_restore = user.has_perms([roles.CAN_ARCHIVE, roles.CAN_VIEW_JOBS])
    if may_restore and (filters.archived or filters.is_anywhere):
        yield RESTORE


# How far a page came that looked for its messages step by step: in payloads, or by filters without an index.
#
# The page shows what was found so far, and its link "search further" leads on from there.


@dataclass(frozen=True, kw_only=True)
class Progress:
    """
    Args:
        looked_until: when the message was received up to which was looked; None where it is gone again.
        percent: of the time range; None where there is none, or the list is not in the order of receipt.
        cursor: of the page that continues.
        in_payloads: whether payloads are searched.
    """

    looked_until: datetime | None
    percent: int | None
    cursor: str
    in_payloads: bool


def progress(page: Page, filters: MessageFilter, *, ordering: str) -> Progress | None:
    """Return how far the page came; None where it is full or the list at its end."""
    if page.looked_until is None or page.next_cursor is None:
        return None
    column = ordering.removeprefix("-")
    at, msg_id = cast(tuple[datetime, int], page.looked_until)
    looked_until = at if column == "receive_timestamp" else _received(msg_id, filters)
    return Progress(
        looked_until=looked_until,
        percent=_percent(looked_until, filters, ordering),
        cursor=page.next_cursor,
        in_payloads=CONTENT in filters.values,
    )


def _received(msg_id: int, filters: MessageFilter) -> datetime | None:
    for table in tables(filters):
        received = (
            table._default_manager.filter(pk=msg_id).values_list("receive_timestamp", flat=True).first()
        )
        if received is not None:
            return cast(datetime, received)
    return None


def _percent(looked_until: datetime | None, filters: MessageFilter, ordering: str) -> int | None:
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
    What list.html hands to the partial templates of the list's parts.

    Args:
        query: the list's canonical query string, with exact times and its order; no question mark.
        histogram_query: the same, with the order only where it is not the one that the filter has on its own.
        choices: what may be done to selected messages.
        filters: what the list is narrowed to; the page offers jobs on all messages that match.
        progress: how far the page came, where it looked step by step.
        newer_query: what the pill asks for, on the first page of a list that begins with the newest.
        is_first, is_last: whether the page begins, or ends, the list.
        rows: how many are on the page.
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
    most_selected: int = MOST_SELECTED
    most_exported: int = MOST_ROWS
    seconds_to_count: int = EXACT_COUNT_MS // 1000

    @property
    def more_query(self) -> str | None:
        """The query of the page that continues where a search has stopped."""
        return f"{self.query}&{urlencode({'cursor': self.progress.cursor})}" if self.progress else None


def parts_of(*, page: Page, filters: MessageFilter, ordering: str, user: User) -> Parts:
    """Return what surrounds one page of the list."""
    query = list_query(filters, ordering)
    is_first = page.previous_cursor is None
    is_live = is_first and ordering.startswith("-") and _changes(filters)
    return Parts(
        query=query,
        histogram_query=filters.as_query() if ordering == natural_order(filters) else query,
        choices=list(choices_of(filters, user)),
        filters=filters,
        progress=progress(page, filters, ordering=ordering),
        newer_query=f"{query}&{urlencode({'cursor': page.newer_cursor})}" if is_live else "",
        is_first=is_first,
        is_last=page.next_cursor is None,
        rows=len(page.rows),
    )


def _changes(filters: MessageFilter) -> bool:
    """Whether to ask for new ones again and again: the archive rests, payloads are too much."""
    return not filters.archived and CONTENT not in filters.values


def list_query(filters: MessageFilter, ordering: str) -> str:
    return urlencode([*filters.words(), ("ordering", ordering)])


# The filter form of the message list: its fields, and the links that change one part of the filter.


_PLACES = (("Live", None), ("Archive", "true"), ("Both", ANYWHERE))
_FAMILIES = (("All messages", None), ("Roots only", "roots"), ("Families with a failure", "failed"))


# What people filter by most; the other fields follow in the order of the filters.
_FIRST_FIELDS = (
    "service_name",
    "operation_name",
    "source_system",
    "failed_error_code",
    FAILURE_GROUP,
    "receive_timestamp_from",
    "receive_timestamp_to",
)
_LINKED = (STATE, FAMILY, ARCHIVED)


class FilterForm(ListForm):
    """The form for one address of the message list."""

    filters = FILTERS
    labels = LABELS
    field_names = tuple(dict.fromkeys((*_FIRST_FIELDS, *(name for name in FILTERS if name not in _LINKED))))
    linked_names = _LINKED

    @property
    def states(self) -> list[Link]:
        """One link a state, which puts it into the filter or takes it out."""
        return self.toggles(STATE, [(state, STATE_MEANINGS[state]) for state in MessageState])

    @property
    def received(self) -> list[Link]:
        """Ranges of receipt that end now, and all time."""
        return self.recent("receive_timestamp")

    @property
    def places(self) -> list[Link]:
        return self.one_of(ARCHIVED, _PLACES)

    @property
    def families(self) -> list[Link]:
        return self.one_of(FAMILY, _FAMILIES)

    @property
    def in_archive(self) -> str:
        return self.query(archived="true")


# Why the list of messages is empty.


def culprits(filters: MessageFilter) -> list[str]:
    """Return the names of filters whose absence would show a message; those found in time."""
    names = [name for name in filters.values if name != ARCHIVED]
    if len(names) < 2:
        return []
    if CONTENT in names:
        names = [CONTENT]  # without its time range it may not be searched
    return counts.culprits(filters.values, names, _page)


def _page(values: Mapping[str, object], *, page_size: int, patience: float) -> Page:
    return message_page(filters=MessageFilter(values), page_size=page_size, patience=patience)
