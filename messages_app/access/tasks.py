"""Celery's way in: one call goes out."""

from celery import shared_task

from messages_app.access import idempotency, throttling
from messages_app.access.sessions.store import SessionStore


@shared_task
def forget_old_keys(**_: object) -> None:
    """Remove idempotency keys that have had their day."""
    idempotency.forget_old_keys()


@shared_task
def forget_old_tries(**_: object) -> None:
    """Remove counts of failed log-ins that count no longer."""
    throttling.forget_old_tries()


@shared_task
def forget_ended_sessions(**_: object) -> None:
    """Remove the rows of sessions that have ended on their own."""
    SessionStore.clear_expired()
