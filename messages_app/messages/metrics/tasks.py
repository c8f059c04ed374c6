"""The Celery tasks of the counts."""

from celery import shared_task

from messages_app.core import trigger_gaps
from messages_app.messages.metrics import passes, polling


@shared_task
def fold_counts(**_: object) -> None:
    """Add the changes of the last seconds to the counts; a hub without triggers is polled for them."""
    polling.poll_messages()
    passes.fold_changes()
    trigger_gaps.merge_gaps()


@shared_task
def coarsen_counts(**_: object) -> None:
    """Merge the counts of old minutes into hours and days."""
    passes.coarsen_counts()
