"""What is open, and what was: for the first page, the handover and the API."""

from datetime import datetime

from django.db.models import Q, QuerySet

from messages_app.messages.watching.models import Alert

MOST = 200


def open_alerts() -> QuerySet[Alert]:
    """Return the alerts that are open, the newest first; a rule has at most one."""
    return Alert.objects.filter(closed_at=None).select_related("rule").order_by("-alert_id")[:MOST]


def alerts_since(since: datetime) -> list[Alert]:
    """Return what opened since a time, or is open still, the newest first."""
    found = Alert.objects.filter(Q(opened_at__gte=since) | Q(closed_at=None)).select_related("rule")
    return list(found.order_by("-alert_id")[:MOST])
