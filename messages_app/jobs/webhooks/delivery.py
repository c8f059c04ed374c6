"""
Sends what was noted for webhooks. After a failure a webhook rests, so that a receiver that does not answer
does not delay the others.
"""

import logging
import time
from collections.abc import Iterable, Mapping
from functools import partial

from messages_app.core.deliveries.attempts import MAX_ATTEMPTS, TAKING, attempt_to_send
from messages_app.core.deliveries.formats import Report, Target
from messages_app.core.deliveries.sending import send_report
from messages_app.core.statements import Statements
from messages_app.jobs.webhooks.models import Webhook, WebhookDelivery, WebhookMessage

statements = Statements("messages_app.jobs.webhooks")
logger = logging.getLogger(__name__)

KEPT_DAYS = 7
_REST = 30  # seconds
_MAX_LINES = 20  # messages that a report for people names
_MAX_FORGOTTEN = 500  # a delivery has up to 500 messages


def send_due(*, seconds: float) -> int:
    """Send the deliveries that are due, for up to `seconds`, and return how many were accepted."""
    end, sent = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        due: dict[int, int] = dict(statements.fetch_rows("take_deliveries", TAKING))
        if not due:
            break
        sent += _send_all(due, until=end)
    return sent


def _send_all(due: Mapping[int, int], *, until: float) -> int:
    """
    Send deliveries one after the other, except further ones to a webhook that has just failed, and put back
    what is not sent in time. Otherwise they would be due again while they wait here.

    Args:
        due: the number of the attempt by delivery.
        until: the time of the monotonic clock.
    """
    failed: set[int] = set()
    untried: list[int] = []
    sent = 0
    deliveries = WebhookDelivery.objects.filter(pk__in=due).select_related("webhook").order_by("pk")
    for delivery in deliveries:
        if delivery.webhook_id in failed or time.monotonic() >= until:
            untried.append(delivery.pk)
        elif _send_delivery(delivery):
            sent += 1
        else:
            failed.add(delivery.webhook_id)
    if untried:
        values = {"deliveries": untried, "attempts": [due[key] for key in untried]}
        statements.count("put_back", values)
    return sent


def _send_delivery(delivery: WebhookDelivery) -> bool:
    hook, name = delivery.webhook, f"webhook-{delivery.pk}"
    if failure := attempt_to_send(lambda: send_report(target_of(hook), make_report(delivery), delivery=name)):
        values = {
            "delivery_id": delivery.pk,
            "error": failure.words,
            "pause": failure.pause,
            "max_attempts": MAX_ATTEMPTS,
            "rest": _REST,
        }
        statements.count("record_failure", values)
        logger.warning("Delivery %s to the webhook %s failed: %s", delivery.pk, hook.pk, failure.words)
        return False
    statements.count("record_sent", {"delivery_id": delivery.pk})
    return True


def target_of(hook: Webhook) -> Target:
    return Target(url=hook.url, format=hook.format)


def make_report(delivery: WebhookDelivery) -> Report:
    """Return a delivery in words, for products for people. It names up to 20 messages."""
    content = webhook_body(delivery)
    report = partial(Report, content=content, at=delivery.created_at)
    if job := delivery.job:
        counts = {"Done": "done", "Skipped": "skipped", "Failed": "failed"}
        facts = {label: str(job.get(name, "")) for label, name in counts.items()}
        title = f"Job {job.get('job_id')} ({job.get('kind')}) ended: {job.get('state')}"
        return report(title=title, facts={"Webhook": delivery.webhook.name} | facts)
    messages = content.get("messages")
    rows = messages if isinstance(messages, list) else []
    lines = [f"{row['msg_id']}: {row['state']}" for row in rows[:_MAX_LINES]]
    if len(rows) > _MAX_LINES:
        lines.append(f"and {len(rows) - _MAX_LINES} more")
    title = (
        f"{len(rows)} messages reached a final state" if len(rows) != 1 else "A message reached a final state"
    )
    return report(title=title, facts={"Webhook": delivery.webhook.name}, text="\n".join(lines))


def webhook_body(delivery: WebhookDelivery) -> Mapping[str, object]:
    """Return the JSON that a webhook receives."""
    if delivery.job is not None:
        return write_body(delivery)
    return write_body(delivery, WebhookMessage.objects.filter(delivery_id=delivery.pk).order_by("event_id"))


def write_body(delivery: WebhookDelivery, rows: Iterable[WebhookMessage] = ()) -> Mapping[str, object]:
    """
    Return the JSON of a delivery. It does not contain any content of messages.

    Args:
        rows: its messages, if it is not about a job.
    """
    hook = delivery.webhook
    body: dict[str, object] = {
        "delivery_id": delivery.pk,
        "webhook_id": hook.pk,
        "webhook": hook.name,
        "event": hook.event,
    }
    if delivery.job is not None:
        return body | {"job": delivery.job}
    messages = [{"msg_id": row.msg_id, "state": row.state, "at": row.at.isoformat()} for row in rows]
    return body | {"messages": messages}


def forget_old_deliveries() -> None:
    """Remove deliveries after the retention time, sent or not."""
    while statements.only_row("forget_deliveries", {"days": KEPT_DAYS, "most": _MAX_FORGOTTEN})[0]:
        pass
