"""Links in the columns of read-only tables."""

from django.db.models import Model
from django.utils.safestring import SafeString

from messages_app.core.formatting import EMPTY, format_size
from messages_app.core.markup import format_html
from messages_app.core.table_admin.model_admin import admin_of


def link_to_row(model: type[Model], key: int | None) -> SafeString | str:
    """Return a link to a row, or a dash without one."""
    return EMPTY if key is None else format_html('<a href="{}">{}</a>', admin_of(model).url_of_key(key), key)


def link_to_content(address: str, stored_bytes: int | None) -> SafeString | str:
    """Return a link with the size of a content to its page: the content may be masked or large."""
    if stored_bytes is None or not address:
        return format_size(stored_bytes)
    return format_html('<a href="{}">{}</a>', address, format_size(stored_bytes))
