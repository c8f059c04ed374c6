"""What surrounds the rows of the list: the pill for new ones, the search's progress, the selection."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser
from django.utils.http import urlencode

from messages_app.messages.filtering.filters import CONTENT, MessageFilter
from messages_app.messages.filtering.natural_order import natural_order
from messages_app.messages.listing.bulk import BulkChoice, bulk_choices
from messages_app.messages.listing.searching import Progress, progress
from messages_app.messages.listing.selecting import MOST_SELECTED, Choice, choices_of
from messages_app.web.lists.counting import EXACT_COUNT_MS
from messages_app.web.lists.files import MOST_ROWS
from messages_app.web.paging import Page


@dataclass(frozen=True, kw_only=True)
class Parts:
    """
    What list.html hands to the partial templates of the list's parts.

    Args:
        query: the list's canonical query string, with exact times and its order; no question mark.
        histogram_query: the same, with the order only where it is not the one that the filter has by itself.
        choices: what may be done to selected messages.
        bulk: what may be asked of all that match.
        progress: how far the page came, where it looked step by step.
        newer_query: what the pill asks for, on the first page of a list that begins with the newest.
        is_first, is_last: whether the page begins, or ends, the list.
        rows: how many stand on the page.
    """

    query: str
    histogram_query: str
    choices: Sequence[Choice]
    bulk: Sequence[BulkChoice]
    progress: Progress | None
    newer_query: str
    is_first: bool
    is_last: bool
    rows: int
    most_selected: int = MOST_SELECTED
    most_exported: int = MOST_ROWS
    seconds_to_count: int = EXACT_COUNT_MS // 1000

    @property
    def more_query(self) -> str:
        """The query of the page that goes on where a search has stopped."""
        return self.progress and f"{self.query}&{urlencode({'cursor': self.progress.cursor})}"


def parts_of(*, page: Page, filters: MessageFilter, ordering: str, user: AbstractBaseUser) -> Parts:
    """Return what surrounds one page of the list."""
    query = list_query(filters, ordering)
    is_first = page.previous_cursor is None
    is_live = is_first and ordering.startswith("-") and _changes(filters)
    return Parts(
        query=query,
        histogram_query=filters.as_query() if ordering == natural_order(filters) else query,
        choices=list(choices_of(filters, user)),
        bulk=bulk_choices(filters, user),
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
