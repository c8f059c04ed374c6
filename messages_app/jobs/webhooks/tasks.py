"""The Celery tasks of webhooks."""

from celery import shared_task

from messages_app.jobs.webhooks import delivery, outbox

# A task may take this long for each of its two steps; the next one continues.
_SECONDS = 10.0


@shared_task
def send_webhooks(**_: object) -> None:
    """Note ended jobs and final messages, and call the webhooks that are for them."""
    outbox.note_events(seconds=_SECONDS)
    delivery.send_due(seconds=_SECONDS)


@shared_task
def forget_old_deliveries(**_: object) -> None:
    """Remove deliveries after the retention time."""
    delivery.forget_old_deliveries()
