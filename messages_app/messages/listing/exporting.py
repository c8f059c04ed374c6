"""The list of messages as a file, without the wide columns."""

from collections.abc import Iterator

from messages_app.messages import queries
from messages_app.messages.filtering.branches import WIDE_COLUMNS
from messages_app.messages.filtering.filters import MessageFilter
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import Message
from messages_app.web.lists.files import MOST_ROWS, PAGE_SIZE, listed_rows
from messages_app.web.paging import Page

COLUMNS = (
    *(each.name for each in Message._meta.concrete_fields if each.name not in WIDE_COLUMNS),
    "failed_summary",
    "archived",
)


def filtered_rows(
    filters: MessageFilter, *, ordering: str, most: int = MOST_ROWS
) -> Iterator[MessageColumns | str]:
    """
    Yield the list's messages, and a note at the end where not all of them are there.

    Raises:
        Problem: 400, the list has no such order.
    """

    def fetch(cursor: str | None) -> Page:
        return queries.message_page(filters=filters, ordering=ordering, page_size=PAGE_SIZE, cursor=cursor)

    return listed_rows(fetch, things="messages", most=most)
