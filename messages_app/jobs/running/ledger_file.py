"""The ledger of a job as a file, whatever its size: read page by page, so that memory stays flat."""

from collections.abc import Iterator
from typing import NamedTuple

from messages_app.jobs.listing import lists
from messages_app.jobs.models import Job, JobRefusal, LedgerRow
from messages_app.web.lists.files import csv_lines
from messages_app.web.paging import Page

_PAGE_SIZE = 5_000


class Line(NamedTuple):
    """One message; `outcome` is empty while it is open, `new_state` where nothing was changed."""

    msg_id: int
    root_msg_id: int
    old_state: str
    new_state: str | None
    outcome: str
    reason: str


def ledger_lines(job: Job, outcome: str | None) -> Iterator[str]:
    """
    Return the lines of a CSV file: a head, and one line a message of this outcome, or of all.

    Raises:
        Problem: 400, there is no such outcome.
    """
    first = _page(job, outcome, None)
    return csv_lines(_lines(job, outcome, first), Line._fields)


def _lines(job: Job, outcome: str | None, page: Page) -> Iterator[Line]:
    while True:
        yield from map(_line, page.rows)
        if page.next_cursor is None:
            return
        page = _page(job, outcome, page.next_cursor)


def _page(job: Job, outcome: str | None, cursor: str | None) -> Page:
    return lists.item_page(job=job, outcome=outcome, cursor=cursor, page_size=_PAGE_SIZE)


def _line(item: LedgerRow | JobRefusal) -> Line:
    outcome, _, reason = (item.outcome or "").partition(":")
    new_state = getattr(item, "new_state", None)
    return Line(item.msg_id, item.root_msg_id, item.old_state, new_state, outcome, reason)
