"""The Celery tasks, of one service call each."""

from celery import shared_task

from messages_app.cp_queue import services


@shared_task
def forget_old_log(**_: object) -> None:
    """Remove old lines of the CP queue's log."""
    services.forget_old_log()
