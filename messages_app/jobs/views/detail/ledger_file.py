"""The ledger of a job as a file of any size. It is read page by page, in constant memory."""

from collections.abc import Iterator
from typing import NamedTuple

from messages_app.core.lists.downloads import csv_lines
from messages_app.core.pagination.paginator import Page
from messages_app.jobs import selectors
from messages_app.jobs.models import Job, JobRefusal, LedgerRow
from messages_app.jobs.outcomes import End

_PAGE_SIZE = 5_000


class Line(NamedTuple):
    """
    One message; `outcome` is empty while it is open, `new_state` if nothing was changed, `resent_as` if the
    job has sent no new message for it.
    """

    msg_id: int
    root_msg_id: int
    old_state: str
    new_state: str | None
    outcome: str
    reason: str
    resent_as: int | None


def ledger_lines(job: Job, outcome: str | None, end: End | None = None) -> Iterator[str]:
    """
    Return the lines of a CSV file: a header, and one line for each message with this outcome, or with this
    end now; None: all messages.

    Raises:
        Problem: 400, there is no such outcome.
    """
    first = _page_of_items(job, outcome, end, None)
    return csv_lines(_iterate_lines(job, outcome, end, first), Line._fields)


def _iterate_lines(job: Job, outcome: str | None, end: End | None, page: Page) -> Iterator[Line]:
    while True:
        yield from map(_line_of_item, page.rows)
        if page.next_cursor is None:
            return
        page = _page_of_items(job, outcome, end, page.next_cursor)


def _page_of_items(job: Job, outcome: str | None, end: End | None, cursor: str | None) -> Page:
    return selectors.item_page(job=job, outcome=outcome, end=end, cursor=cursor, page_size=_PAGE_SIZE)


def _line_of_item(item: LedgerRow | JobRefusal) -> Line:
    outcome, _, reason = (item.outcome or "").partition(":")
    new_state = getattr(item, "new_state", None)
    return Line(item.msg_id, item.root_msg_id, item.old_state, new_state, outcome, reason, item.resent_as)
