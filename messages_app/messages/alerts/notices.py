"""
Sends what is to be told of alerts. Each is tried until it is sent, with pauses that double, eight times.

Who takes a notice commits that first, so two senders never send one at once; who is killed after sending and
before noting it sends it again.
"""

import logging
from smtplib import SMTPException

from django.core.mail import send_mail

from messages_app.core.statements import Statements
from messages_app.messages.alerts import webhook
from messages_app.messages.alerts.models import AlertNotice
from messages_app.messages.alerts.ssrf_guard import RefusedAddress
from messages_app.messages.alerts.states import Channel, Turn

statements = Statements("messages_app.messages.alerts")


logger = logging.getLogger(__name__)

TRIES = 8
PAUSE_SECONDS = 30
_AT_ONCE = 20


def send_notices() -> int:
    """Send what is due, and return how many could be sent."""
    values = {"pause": PAUSE_SECONDS, "most": _AT_ONCE}
    taken = [notice_id for (notice_id,) in statements.rows("take_notices", values)]
    notices = AlertNotice.objects.filter(pk__in=taken).select_related("alert__rule").order_by("pk")
    return sum(_send(notice) for notice in notices)


def _send(notice: AlertNotice) -> bool:
    try:
        if notice.channel == Channel.MAIL:
            _mail(notice)
        else:
            webhook.deliver(notice.target, content_of(notice), delivery=notice.pk)
    # ValueError: a header that cannot be written. One such notice must not hold up the others.
    except (webhook.NotDelivered, RefusedAddress, SMTPException, OSError, ValueError) as error:
        values = {"notice_id": notice.pk, "error": str(error)[:300] or type(error).__name__, "tries": TRIES}
        statements.count("note_not_sent", values)
        logger.warning("Notice %s was not sent: %s", notice.pk, error)
        return False
    statements.count("note_sent", {"notice_id": notice.pk})
    return True


def content_of(notice: AlertNotice) -> dict[str, object]:
    """Return what a webhook is told. No message's content is in it."""
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
        "closed_at": alert.closed_at and alert.closed_at.isoformat(),
    }


def _mail(notice: AlertNotice) -> None:
    alert, rule = notice.alert, notice.alert.rule
    is_over = notice.turn == Turn.CLOSED
    lines = [
        f"{rule.name}: {alert.value:g}, the limit is {rule.limit:g}.",
        f"Open since {alert.opened_at:%Y-%m-%d %H:%M:%S %Z}.",
    ]
    if is_over:
        lines.append(
            f"Closed at {alert.closed_at:%Y-%m-%d %H:%M:%S %Z}; the worst value was {alert.worst:g}."
        )
    subject = f"[Hub Console] {'Closed' if is_over else 'Alert'}: {rule.name}"
    send_mail(subject, "\n".join(lines), None, [notice.target])
