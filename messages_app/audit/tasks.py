"""The Celery task of the audit log, with one call of a service."""

from celery import shared_task

from messages_app.audit import seals


@shared_task
def seal_audit(**_: object) -> None:
    """Seal all committed entries."""
    seals.seal_entries()
