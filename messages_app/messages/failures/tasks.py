"""The periodic tasks of failure groups; registration.py has their intervals."""

from celery import shared_task

from messages_app.messages.failures import grouping


@shared_task
def join_failures(**_: object) -> None:
    """Group the failures of the last seconds."""
    grouping.group_new_failures()


@shared_task
def coarsen_failures(**_: object) -> None:
    """Replace the counts of old minutes by counts of hours and days."""
    grouping.coarsen_minutes()
