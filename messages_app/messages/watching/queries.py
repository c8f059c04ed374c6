"""What is watched, what is open, and what was: for pages, the first page, the handover and the API."""

from datetime import datetime

from django.db.models import Q, QuerySet

from messages_app.messages.watching.models import Alert, AlertNotice, WatchRule
from messages_app.web.keyset import Order
from messages_app.web.paging import DEFAULT_PAGE_SIZE, Page, fetch_page

MOST = 200
_MOST_OF_RULE = 50

_NEWEST_FIRST = Order(column="alert_id", key="alert_id", descending=True)


def rules() -> QuerySet[WatchRule]:
    """Return the rules by name."""
    return WatchRule.objects.select_related("saved_view").order_by("name")[:MOST]


def rule_of(rule_id: int) -> WatchRule | None:
    return WatchRule.objects.select_related("saved_view").filter(pk=rule_id).first()


def open_alerts() -> QuerySet[Alert]:
    """Return the alerts that are open, the newest first; a rule has at most one."""
    return Alert.objects.filter(closed_at=None).select_related("rule").order_by("-alert_id")[:MOST]


def alert_page(*, cursor: str | None = None, page_size: int = DEFAULT_PAGE_SIZE) -> Page:
    """Return one page of alerts, the newest first. Raises Problem: 400, the cursor is no page's."""
    rows = Alert.objects.select_related("rule")
    return fetch_page(rows, order=_NEWEST_FIRST, cursor=cursor, page_size=page_size)


def alerts_of(rule_id: int) -> QuerySet[Alert]:
    """Return the newest alerts of a rule."""
    found = Alert.objects.filter(rule_id=rule_id).select_related("rule")
    return found.order_by("-alert_id")[:_MOST_OF_RULE]


def notices_of(rule_id: int) -> QuerySet[AlertNotice]:
    """Return the newest notices of a rule's alerts: who was told, who is to be, and what went wrong."""
    return AlertNotice.objects.filter(alert__rule_id=rule_id).order_by("-notice_id")[:_MOST_OF_RULE]


def alerts_since(since: datetime) -> list[Alert]:
    """Return what opened since a time, or is open still, the newest first."""
    found = Alert.objects.filter(Q(opened_at__gte=since) | Q(closed_at=None)).select_related("rule")
    return list(found.order_by("-alert_id")[:MOST])
