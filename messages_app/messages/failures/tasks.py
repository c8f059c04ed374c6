"""Celery's way in: one call goes out."""

from celery import shared_task

from messages_app.messages.failures import grouping


@shared_task
def join_failures(**_: object) -> None:
    """Put the failures of the last seconds into groups."""
    grouping.join()


@shared_task
def coarsen_failures(**_: object) -> None:
    """Make hours and days of old minutes."""
    grouping.coarsen()
