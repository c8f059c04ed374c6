"""Read-only reports on the audit."""

from messages_app.audit.models import AuditEntry
from messages_app.web.paging import DEFAULT_PAGE_SIZE, Order, Page, fetch_page

_NEWEST_FIRST = Order(column="entry_id", key="entry_id", descending=True)


def entry_page(*, cursor: str | None = None, page_size: int = DEFAULT_PAGE_SIZE) -> Page:
    """
    Return one page of audit entries, newest first.

    Raises:
        Problem: 400, the cursor is not one of this list.
    """
    return fetch_page(AuditEntry.objects.all(), order=_NEWEST_FIRST, cursor=cursor, page_size=page_size)


def entries_about(subject_kind: str, subject: str, *, most: int = 20) -> list[AuditEntry]:
    """Return the newest entries about one thing, a kind of audit/subjects.py, at most so many."""
    entries = AuditEntry.objects.filter(subject_kind=subject_kind, subject=subject)
    return list(entries.order_by("-entry_id")[:most])
