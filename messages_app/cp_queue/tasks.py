"""The Celery tasks, of one service call each."""

from celery import shared_task

from messages_app.cp_queue.services import operators as operators_services


@shared_task
def forget_old_log(**_: object) -> None:
    """Remove old lines of the CP queue's log."""
    operators_services.forget_old_log()
