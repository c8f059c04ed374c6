"""Sends the notices of alerts: to webhooks in their formats, and by email."""

import logging
from functools import partial
from typing import TypedDict

from django.core.mail import send_mail

from messages_app.core.deliveries.attempts import MAX_ATTEMPTS, TAKING, attempt_to_send
from messages_app.core.deliveries.events import SentEvent
from messages_app.core.deliveries.formats import Report, Target
from messages_app.core.deliveries.sending import send_report
from messages_app.core.deliveries.webhook_calls import NotDelivered
from messages_app.core.formatting import format_moment
from messages_app.core.statements import Statements
from messages_app.messages.alerts.models import AlertNotice, WatchRule
from messages_app.messages.alerts.sentences import describe_rule, describe_value
from messages_app.messages.alerts.states import Channel, Turn

statements = Statements("messages_app.messages.alerts")
logger = logging.getLogger(__name__)

ALERT = SentEvent(
    "alert",
    "The value of a [watch rule](overview.md#alerts) with a webhook exceeds its limit: `turn` is `opened`."
    " Once"
    " it no longer does: `closed`.",
)


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
    notices = (
        AlertNotice.objects.filter(pk__in=notice_ids).select_related("alert__rule__saved_view").order_by("pk")
    )
    return sum(_send_notice(notice) for notice in notices)


def _send_notice(notice: AlertNotice) -> bool:
    send = _send_mail if notice.channel == Channel.MAIL else _call_webhook
    if failure := attempt_to_send(partial(send, notice)):
        values = {
            "notice_id": notice.pk,
            "error": failure.words,
            "pause": failure.pause,
            "max_attempts": MAX_ATTEMPTS,
        }
        statements.count("record_failed_attempt", values)
        logger.warning("Notice %s was not sent: %s", notice.pk, failure.words)
        return False
    statements.count("record_sent", {"notice_id": notice.pk})
    return True


def _call_webhook(notice: AlertNotice) -> None:
    rule = notice.alert.rule
    if notice.target != rule.webhook_url:
        # Its format and key are those of another address now.
        raise NotDelivered("The webhook of the rule has changed.")
    send_report(target_of(rule), make_report(notice), delivery=f"notice-{notice.pk}")


def target_of(rule: WatchRule) -> Target:
    """Return the webhook of a rule that has one."""
    return Target(url=rule.webhook_url, format=rule.webhook_format, key=rule.webhook_key)


def make_report(notice: AlertNotice) -> Report:
    """Return a notice in words, for products for people."""
    alert, rule = notice.alert, notice.alert.rule
    facts = {
        "Rule": describe_rule(rule),
        "Value": describe_value(rule.measure, alert.value),
        "Worst value": describe_value(rule.measure, alert.worst),
        "Opened": format_moment(alert.opened_at),
    }
    is_over = notice.turn == Turn.CLOSED
    if is_over and alert.closed_at:
        facts["Closed"] = format_moment(alert.closed_at)
    return Report(
        title=f"{'Closed' if is_over else 'Alert'}: {rule.name}",
        facts=facts,
        content=webhook_body(notice),
        at=alert.opened_at,
        # Another console with the same key may have an alert of this number.
        incident=f"hubconsole-alert-{alert.pk}-{int(alert.opened_at.timestamp())}",
        is_over=is_over,
    )


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
