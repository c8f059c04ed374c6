"""Celery's way in: one call goes out."""

from celery import shared_task

from messages_app.access import idempotency


@shared_task
def forget_old_keys(**_: object) -> None:
    """Remove idempotency keys that have had their day."""
    idempotency.forget_old_keys()
