"""The Celery tasks, of one service call each."""

from celery import shared_task

from messages_app.document_history.services.sweep import sweep_entries


@shared_task
def sweep_document_history(**_: object) -> None:
    """Remove expired entries of the document history."""
    sweep_entries()
