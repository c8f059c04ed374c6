"""Reads watch rules, alerts and notices: for their pages, the overview, the handover and the API."""

from datetime import datetime

from django.db.models import Q, QuerySet

from messages_app.core.pagination.keyset import Order
from messages_app.core.pagination.paginator import Page, fetch_page
from messages_app.messages.alerts.models import Alert, AlertNotice, WatchRule

MAX_ROWS = 200


_MAX_ROWS_OF_RULE = 50


_NEWEST_FIRST = Order(column="alert_id", key="alert_id", descending=True)


def list_rules() -> QuerySet[WatchRule]:
    """Return the rules by name, with their saved views."""
    return WatchRule.objects.select_related("saved_view").order_by("name")[:MAX_ROWS]


def find_rule(rule_id: int) -> WatchRule | None:
    return WatchRule.objects.select_related("saved_view").filter(pk=rule_id).first()


def open_alerts() -> QuerySet[Alert]:
    """Return the open alerts, newest first. A rule has at most one."""
    return Alert.objects.filter(closed_at=None).select_related("rule").order_by("-alert_id")[:MAX_ROWS]


def alert_page(*, cursor: str | None = None) -> Page[Alert]:
    """Return one page of all alerts, newest first. Raises Problem: 400, the cursor is invalid."""
    rows = Alert.objects.select_related("rule")
    return fetch_page(rows, order=_NEWEST_FIRST, cursor=cursor)


def alerts_of(rule_id: int) -> QuerySet[Alert]:
    """Return the newest alerts of a rule."""
    alerts = Alert.objects.filter(rule_id=rule_id).select_related("rule")
    return alerts.order_by("-alert_id")[:_MAX_ROWS_OF_RULE]


def notices_of(rule_id: int) -> QuerySet[AlertNotice]:
    """Return the newest notices of a rule's alerts, sent or not."""
    return AlertNotice.objects.filter(alert__rule_id=rule_id).order_by("-notice_id")[:_MAX_ROWS_OF_RULE]


def alerts_since(since: datetime) -> list[Alert]:
    """Return the alerts that opened since a time or are still open, newest first."""
    alerts = Alert.objects.filter(Q(opened_at__gte=since) | Q(closed_at=None)).select_related("rule")
    return list(alerts.order_by("-alert_id")[:MAX_ROWS])
