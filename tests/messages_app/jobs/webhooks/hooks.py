"""Webhooks, and the calls that their receiver got."""

import json

from messages_app.jobs.webhooks import delivery, outbox
from messages_app.jobs.webhooks.models import Webhook, WebhookDelivery
from tests.messages_app.core.deliveries.receiver import Receiver


def make_hook(receiver: Receiver, **columns: object) -> Webhook:
    columns = {"name": "Ends", "url": receiver.url, "event": "job_ended"} | columns
    return Webhook.objects.create(**columns)


def of_messages(receiver: Receiver, **columns: object) -> Webhook:
    return make_hook(receiver, event="messages_final", name="Final", **columns)


def run() -> int:
    """Do what the task does."""
    outbox.note_events(seconds=30)
    return delivery.send_due(seconds=30)


def bodies(receiver: Receiver) -> list[dict]:
    return [json.loads(body) for _, body in receiver.got]


def told(receiver: Receiver) -> list[tuple[int, str]]:
    """Return the messages and states that a receiver got, in the order of the calls."""
    return [(each["msg_id"], each["state"]) for body in bodies(receiver) for each in body["messages"]]


def make_due() -> None:
    WebhookDelivery.objects.exclude(next_at=None).update(next_at="2026-01-01T00:00:00Z")
    Webhook.objects.update(rests_until=None)
