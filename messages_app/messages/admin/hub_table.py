"""The parts that all tables of the hub share in Django's admin."""

from typing import Any, ClassVar

from django.contrib import admin
from django.urls import reverse
from django.utils.safestring import SafeString

from messages_app.access import roles
from messages_app.core.markup import show_state
from messages_app.core.table_admin.model_admin import TableAdmin
from messages_app.messages.tables import LIVE, Tables


class HubTable(TableAdmin):
    """
    A table of the hub.

    Attributes:
        tables: the live tables, or those of the archive.
    """

    right = roles.CAN_VIEW_MESSAGES
    tables: ClassVar[Tables] = LIVE

    @admin.display(description="state")
    def shown_state(self, row: Any) -> SafeString:
        return show_state(row.state)

    def console_url(self, row: Any) -> str:
        return "" if row.msg_id is None else reverse("message-detail", args=[row.msg_id])
