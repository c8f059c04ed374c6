"""The Celery tasks of access. Each makes one call."""

from celery import shared_task

from messages_app.access import idempotency, throttling
from messages_app.access.second_factor import passkeys
from messages_app.access.sessions.store import SessionStore


@shared_task
def forget_old_keys(**_: object) -> None:
    """Remove idempotency keys that are older than a day."""
    idempotency.forget_old_keys()


@shared_task
def forget_old_tries(**_: object) -> None:
    """Remove counts of failed logins that no longer matter."""
    throttling.forget_old_tries()


@shared_task
def forget_ended_sessions(**_: object) -> None:
    """Remove the rows of sessions that have expired, and of challenges of passkeys."""
    SessionStore.clear_expired()
    passkeys.forget_old_challenges()
