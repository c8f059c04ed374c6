"""
Sends what was noted for webhooks, signed and guarded like the notices of alerts (messages/alerts/notices.py).

A delivery is attempted up to eight times, with pauses that double. A sender that is killed after it sent one
and before it recorded that sends it again, under the same delivery id. After a failure a webhook rests, so
that a receiver that does not answer does not delay the others.
"""

import logging
import time
from collections.abc import Mapping

from messages_app.core.statements import Statements
from messages_app.jobs.webhooks.models import WebhookDelivery, WebhookMessage
from messages_app.messages.alerts.notices import MAX_ATTEMPTS, NotDelivered, deliver
from messages_app.messages.alerts.ssrf_guard import RefusedAddress

statements = Statements("messages_app.jobs.webhooks")
logger = logging.getLogger(__name__)

KEPT_DAYS = 7
_FIRST_PAUSE, _REST = 30, 30  # seconds
# A delivery has up to 500 messages.
_MOST_TAKEN, _MOST_FORGOTTEN = 20, 500


def send_due(*, seconds: float) -> int:
    """Send the deliveries that are due, for up to `seconds`, and return how many were accepted."""
    end, sent = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        taken: dict[int, int] = dict(statements.rows("take_deliveries", _TAKING))
        if not taken:
            break
        sent += _send_all(taken, until=end)
    return sent


_TAKING = {"pause": _FIRST_PAUSE, "most": _MOST_TAKEN}


def _send_all(taken: Mapping[int, int], *, until: float) -> int:
    """
    Send deliveries one after the other, except further ones to a webhook that has just failed, and put back
    what is not sent in time. Otherwise they would be due again while they wait here.

    Args:
        taken: the number of the attempt by delivery.
        until: the time of the monotonic clock.
    """
    failed: set[int] = set()
    untried: list[int] = []
    sent = 0
    deliveries = WebhookDelivery.objects.filter(pk__in=taken).select_related("webhook").order_by("pk")
    for delivery in deliveries:
        if delivery.webhook_id in failed or time.monotonic() >= until:
            untried.append(delivery.pk)
        elif _send(delivery):
            sent += 1
        else:
            failed.add(delivery.webhook_id)
    if untried:
        values = {"deliveries": untried, "attempts": [taken[key] for key in untried]}
        statements.count("put_back", values)
    return sent


def _send(delivery: WebhookDelivery) -> bool:
    try:
        deliver(delivery.webhook.url, webhook_body(delivery), delivery=f"webhook-{delivery.pk}")
    # ValueError: a header that cannot be written.
    except (NotDelivered, RefusedAddress, OSError, ValueError) as error:
        reason = str(error)[:300] or type(error).__name__
        values = {"delivery_id": delivery.pk, "error": reason, "max_attempts": MAX_ATTEMPTS, "rest": _REST}
        statements.count("record_failure", values)
        logger.warning("Delivery %s to the webhook %s failed: %s", delivery.pk, delivery.webhook_id, error)
        return False
    statements.count("record_sent", {"delivery_id": delivery.pk})
    return True


def webhook_body(delivery: WebhookDelivery) -> Mapping[str, object]:
    """Return the JSON that a webhook receives. It does not contain any content of messages."""
    hook = delivery.webhook
    body: dict[str, object] = {
        "delivery_id": delivery.pk,
        "webhook_id": hook.pk,
        "webhook": hook.name,
        "event": hook.event,
    }
    if delivery.job is not None:
        return body | {"job": delivery.job}
    rows = WebhookMessage.objects.filter(delivery_id=delivery.pk).order_by("event_id")
    messages = [{"msg_id": row.msg_id, "state": row.state, "at": row.at.isoformat()} for row in rows]
    return body | {"messages": messages}


def forget_old_deliveries() -> None:
    """Remove deliveries after the retention time, sent or not."""
    while statements.only_row("forget_deliveries", {"days": KEPT_DAYS, "most": _MOST_FORGOTTEN})[0]:
        pass
