"""Celery's way in. A task carries nothing: what there is to do stands in the database."""

from celery import shared_task
from django.conf import settings

from messages_app.message_store import services


@shared_task
def monitor_message_store(**_: object) -> None:
    """Scan: take back what dead workers held, fold the counts, start the workers' loops."""
    services.take_back_dead()
    services.fold_counts()
    for _place in range(settings.MESSAGE_STORE_THREADS):
        work_message_store.apply_async(expires=settings.MESSAGE_STORE_INTERVAL)


@shared_task
def work_message_store(**_: object) -> None:
    """
    Process what is queued; go on in a task of its own when the time is up, so that a stop waits for
    little.
    """
    attempts = services.work(seconds=settings.MESSAGE_STORE_WORK_SECONDS)
    if attempts and services.is_anything_left():
        work_message_store.apply_async(expires=settings.MESSAGE_STORE_INTERVAL)
