"""The Celery tasks of the counts."""

from celery import shared_task

from messages_app.core import trigger_gaps
from messages_app.messages.call_counts.passes import coarsen_calls, count_new_calls
from messages_app.messages.metrics import passes, polling


@shared_task
def fold_counts(**_: object) -> None:
    """Add the changes and calls of the last seconds to the counts; a hub without triggers is polled."""
    polling.poll_messages()
    passes.fold_changes()
    trigger_gaps.merge_gaps()
    count_new_calls()


@shared_task
def coarsen_counts(**_: object) -> None:
    """Merge the counts of old minutes into hours and days."""
    passes.coarsen_counts()
    coarsen_calls()
