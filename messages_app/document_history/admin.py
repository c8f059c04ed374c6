"""Documents in Django's admin: the two entries of a document as one row, as on the console's pages."""

from typing import Any
from urllib.parse import quote, unquote, urlencode

from django.contrib import admin
from django.urls import reverse
from django.utils.safestring import SafeString

from messages_app.core.filters.table import Values
from messages_app.core.markup import format_html, show_time
from messages_app.core.pagination.paginator import Page
from messages_app.core.table_admin.list_filters import choice_filter, recent_filter
from messages_app.core.table_admin.model_admin import TableAdmin, make_column
from messages_app.core.table_admin.source import ListSource
from messages_app.document_history import registration, selectors
from messages_app.document_history.models import MAX_TRIGGER_ID, HistoryLine
from messages_app.document_history.selectors.entries import ENTRIES, entry_lines, entry_page
from messages_app.document_history.states import MAX_UUID, PAIRS, Pair

# Between the trigger and the UUID in an address. Neither part has one, because it is encoded in them.
_SEPARATOR = "/"
_MAX_CHOICES = 20


def _fetch_page(*, values: Values, **paging: Any) -> Page:
    page = entry_page(values=values, **paging)
    for row, entry in zip(page.rows, entry_lines(page.rows), strict=True):
        row.entry = entry
    return page


def _find_document(key: str) -> HistoryLine | None:
    """Return the document with this key: its trigger and its UUID."""
    trigger_id, separator, uuid = map(unquote, key.partition(_SEPARATOR))
    if not separator or len(trigger_id) > MAX_TRIGGER_ID or len(uuid) > MAX_UUID or "\0" in trigger_id + uuid:
        return None
    row: Any = HistoryLine.objects.filter(trigger_id=trigger_id, document_uuid=uuid).first()
    if row is not None:
        (row.entry,) = entry_lines([row])
    return row


def _link_trigger(row: Any) -> SafeString | str:
    if not row.entry.trigger_name:
        return row.trigger_id
    address = reverse("document-trigger", args=[row.trigger_id])
    return format_html('<a href="{}">{}</a>', address, row.entry.trigger_name)


@admin.register(HistoryLine)
class DocumentAdmin(TableAdmin):
    right = registration.CAN_VIEW_DOCUMENT_HISTORY
    source = ListSource(
        filters=ENTRIES, fetch=_fetch_page, find=_find_document, searched=("uuid",), orders=("time",)
    )
    list_display = ("document_uuid", "trigger", "state", "time", "expires_at")
    fields = (
        *("document_uuid", "trigger", "trigger_id", "state", "time", "expires_at"),
        *("has_processing", "has_completed", "is_expired", "is_orphaned"),
    )
    list_filter = (
        choice_filter("trigger_id", "trigger", lambda: selectors.trigger_names()[:_MAX_CHOICES]),
        choice_filter("state", "state", lambda: [(pair, PAIRS[pair].text) for pair in Pair]),
        recent_filter("time_from", "started"),
    )
    search_help_text = "Exact UUID"

    def key_of(self, row: Any) -> str:
        return _SEPARATOR.join(quote(part, safe="") for part in (row.trigger_id, row.document_uuid))

    trigger = make_column("trigger", _link_trigger)
    state = make_column("state", lambda row: PAIRS[row.entry.pair].text)
    expires_at = make_column("expires at", lambda row: show_time(row.entry.expires_at))
    is_expired = make_column("is expired", lambda row: row.entry.is_expired, boolean=True)
    is_orphaned = make_column("is orphaned", lambda row: row.entry.is_orphaned, boolean=True)

    def console_url(self, row: Any) -> str:
        query = urlencode({"trigger_id": row.trigger_id, "uuid": row.document_uuid})
        return f"{reverse('document-entries')}?{query}"
