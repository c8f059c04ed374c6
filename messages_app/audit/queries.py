"""Read-only reports on the audit."""

from collections.abc import Mapping

from messages_app.audit.filters import ENTRIES
from messages_app.audit.models import AuditEntry
from messages_app.web.filters.table import lookups, words
from messages_app.web.lists.branches import Indexes, Part, branch_of
from messages_app.web.paging import DEFAULT_PAGE_SIZE, Order, Page, fetch_page

_NEWEST_FIRST = Order(column="entry_id", key="entry_id", descending=True)
_INDEXES = Indexes(columns={(AuditEntry, "entry_id"): ("msg_id", "job_id")})


def entry_page(
    *,
    values: Mapping[str, object] | None = None,
    cursor: str | None = None,
    page_size: int = DEFAULT_PAGE_SIZE,
) -> Page:
    """
    Return one page of audit entries, newest first.

    Args:
        values: of filters.py ENTRIES.

    Raises:
        Problem: 400, the cursor is not one of this list.
    """
    values = values or {}
    entries = Part(AuditEntry.objects.all(), lookups(ENTRIES, values), indexes=_INDEXES)
    return fetch_page(
        [branch_of(entries, _NEWEST_FIRST, ranges=())],
        order=_NEWEST_FIRST,
        cursor=cursor,
        page_size=page_size,
        scope=str(words(ENTRIES, values)) if values else "",
    )


def entries_about(subject_kind: str, subject: str, *, most: int = 20) -> list[AuditEntry]:
    """Return the newest entries about one thing, a kind of audit/subjects.py, at most so many."""
    entries = AuditEntry.objects.filter(subject_kind=subject_kind, subject=subject)
    return list(entries.order_by("-entry_id")[:most])
