"""The Celery tasks of the audit log. Each makes one call."""

from celery import shared_task

from messages_app.audit import seals
from messages_app.audit.stream import sending


@shared_task
def seal_audit(**_: object) -> None:
    """Seal all committed entries."""
    seals.seal_entries()


@shared_task
def stream_audit(**_: object) -> None:
    """Send sealed entries to the receiver outside, if there is one."""
    sending.stream_entries()
