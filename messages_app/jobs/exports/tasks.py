"""Celery's way in: one call goes out."""

from celery import shared_task

from messages_app.jobs.exports.files import remove_old_exports as remove


@shared_task
def remove_old_exports(**_: object) -> None:
    """Remove exports that have had their days."""
    remove()
