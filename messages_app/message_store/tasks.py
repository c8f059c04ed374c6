"""The Celery tasks. They have no arguments, because the work is in the database."""

from celery import shared_task
from django.conf import settings

from messages_app.message_store import services
from messages_app.message_store.settings import current_limits


@shared_task
def monitor_message_store(**_: object) -> None:
    """Scan: take back what dead workers held, fold the counts, start the workers' loops."""
    services.take_back_dead()
    services.fold_counts()
    services.keep_interval()
    now = current_limits()
    for _place in range(now.threads):
        work_message_store.apply_async(expires=now.interval)
    services.note_scan()


@shared_task
def work_message_store(**_: object) -> None:
    """
    Process queued messages. When the time is up, a new task continues, so that a stop does not wait long.
    """
    attempts = services.work_for(seconds=settings.MESSAGE_STORE_WORK_SECONDS)
    if attempts and services.is_anything_left():
        work_message_store.apply_async(expires=current_limits().interval)
