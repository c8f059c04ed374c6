"""The Celery tasks. They have no arguments, because the work is in the database."""

from celery import shared_task
from django.conf import settings

from messages_app.message_store.services.monitor import fold_counts, keep_interval, note_scan, take_back_dead
from messages_app.message_store.services.worker_loop import is_anything_left, work_for
from messages_app.message_store.settings import current_limits


@shared_task
def monitor_message_store(**_: object) -> None:
    """Scan: take back what dead workers held, fold the counts, start the workers' loops."""
    take_back_dead()
    fold_counts()
    keep_interval()
    now = current_limits()
    for _place in range(now.threads):
        work_message_store.apply_async(expires=now.interval)
    note_scan()


@shared_task
def work_message_store(**_: object) -> None:
    """
    Process queued messages. When the time is up, a new task continues, so that a stop does not wait long.
    """
    attempts = work_for(seconds=settings.MESSAGE_STORE_WORK_SECONDS)
    if attempts and is_anything_left():
        work_message_store.apply_async(expires=current_limits().interval)
