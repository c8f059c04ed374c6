"""
How far a page came that looked for its messages step by step: in payloads, or by filters without an index.

The page shows what was found so far, and its link "search further" leads on from there.
"""

from dataclasses import dataclass
from datetime import datetime

from messages_app.messages.filtering.branches import tables
from messages_app.messages.filtering.filters import CONTENT, MessageFilter
from messages_app.messages.hub_columns import MessageColumns
from messages_app.web.paging import Page


@dataclass(frozen=True, kw_only=True)
class Progress:
    """
    Args:
        looked_until: when the message was received up to which was looked; None where it is gone again.
        percent: of the time range; None where there is none, or the list is not in the order of receipt.
        cursor: of the page that goes on.
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
    looked_until = page.looked_until[0] if column == "receive_timestamp" else _received(page, filters)
    return Progress(
        looked_until=looked_until,
        percent=_percent(looked_until, filters, ordering),
        cursor=page.next_cursor,
        in_payloads=CONTENT in filters.values,
    )


def _received(page: Page, filters: MessageFilter) -> datetime | None:
    for table in tables(filters):
        row: MessageColumns | None = (
            table.objects.filter(pk=page.looked_until[1]).only("receive_timestamp").first()
        )
        if row is not None:
            return row.receive_timestamp
    return None


def _percent(looked_until: datetime | None, filters: MessageFilter, ordering: str) -> int | None:
    start = filters.values.get("receive_timestamp_from")
    stop = filters.values.get("receive_timestamp_to")
    if start is None or stop is None or stop <= start or looked_until is None:
        return None
    if ordering.removeprefix("-") != "receive_timestamp":
        return None
    done = stop - looked_until if ordering.startswith("-") else looked_until - start
    return max(0, min(99, int(100 * (done / (stop - start)))))
