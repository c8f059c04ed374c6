"""Sends the notices of alerts: as JSON to webhooks, and by email."""

import logging
from functools import partial
from typing import TypedDict

from django.core.mail import send_mail

from messages_app.core.deliveries.attempts import MAX_ATTEMPTS, TAKING, attempt_to_send
from messages_app.core.deliveries.webhook_calls import call_webhook
from messages_app.core.statements import Statements
from messages_app.messages.alerts.models import AlertNotice
from messages_app.messages.alerts.states import Channel, Turn

statements = Statements("messages_app.messages.alerts")
logger = logging.getLogger(__name__)


class WebhookBody(TypedDict):
    """The JSON that a webhook receives. It does not contain any content of messages."""

    alert_id: int
    turn: str
    rule: str
    measure: str
    limit: float
    value: float
    worst: float
    opened_at: str
    closed_at: str | None


def send_notices() -> int:
    """Send the notices that are due, and return how many of them were sent."""
    notice_ids = statements.fetch_column("take_notices", TAKING)
    notices = AlertNotice.objects.filter(pk__in=notice_ids).select_related("alert__rule").order_by("pk")
    return sum(_send_notice(notice) for notice in notices)


def _send_notice(notice: AlertNotice) -> bool:
    send = _send_mail if notice.channel == Channel.MAIL else _call_webhook
    if error := attempt_to_send(partial(send, notice)):
        values = {"notice_id": notice.pk, "error": error, "max_attempts": MAX_ATTEMPTS}
        statements.count("record_failed_attempt", values)
        logger.warning("Notice %s was not sent: %s", notice.pk, error)
        return False
    statements.count("record_sent", {"notice_id": notice.pk})
    return True


def _call_webhook(notice: AlertNotice) -> None:
    call_webhook(notice.target, webhook_body(notice), delivery=f"notice-{notice.pk}")


def webhook_body(notice: AlertNotice) -> WebhookBody:
    alert, rule = notice.alert, notice.alert.rule
    return {
        "alert_id": alert.pk,
        "turn": notice.turn,
        "rule": rule.name,
        "measure": rule.measure,
        "limit": rule.limit,
        "value": alert.value,
        "worst": alert.worst,
        "opened_at": alert.opened_at.isoformat(),
        "closed_at": alert.closed_at.isoformat() if alert.closed_at else None,
    }


def _send_mail(notice: AlertNotice) -> None:
    alert, rule = notice.alert, notice.alert.rule
    is_closed = notice.turn == Turn.CLOSED
    lines = [
        f"{rule.name}: {alert.value:g}, the limit is {rule.limit:g}.",
        f"Open since {alert.opened_at:%Y-%m-%d %H:%M:%S %Z}.",
    ]
    if is_closed:
        lines.append(
            f"Closed at {alert.closed_at:%Y-%m-%d %H:%M:%S %Z}; the worst value was {alert.worst:g}."
        )
    subject = f"[Hub Console] {'Closed' if is_closed else 'Alert'}: {rule.name}"
    send_mail(subject, "\n".join(lines), None, [notice.target])
