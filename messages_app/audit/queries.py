"""Read-only reports on the audit."""

from messages_app.audit.models import AuditEntry
from messages_app.web.paging import DEFAULT_PAGE_SIZE, Order, Page, fetch_page

_NEWEST_FIRST = Order(column="entry_id", key="entry_id", descending=True)
_MOST_ABOUT_ONE = 50


def entry_page(*, cursor: str | None = None, page_size: int = DEFAULT_PAGE_SIZE) -> Page:
    """
    Return one page of audit entries, newest first.

    Raises:
        Problem: 400, the cursor is not one of this list.
    """
    return fetch_page(AuditEntry.objects.all(), order=_NEWEST_FIRST, cursor=cursor, page_size=page_size)


def entries_about(kind: str, subject: str, *, most: int = _MOST_ABOUT_ONE) -> list[AuditEntry]:
    """
    Return what was done to one thing, newest first.

    Args:
        kind: of audit/subjects.py.
    """
    rows = AuditEntry.objects.filter(subject_kind=kind, subject=subject)
    return list(rows.order_by("-entry_id")[:most])
