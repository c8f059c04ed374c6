"""Celery's way in: one call goes out."""

from celery import shared_task

from messages_app.gaps import gaps
from messages_app.messages.rollups import folding


@shared_task
def fold_counts(**_: object) -> None:
    """Add the changes of the last seconds to the counts."""
    folding.fold()
    gaps.merge()


@shared_task
def coarsen_counts(**_: object) -> None:
    """Make hours and days of old minutes."""
    folding.coarsen()
