"""The periodic tasks of business keys; registration.py has their intervals."""

from celery import shared_task

from messages_app.business_keys import passes, retention


@shared_task
def extract_keys(**_: object) -> None:
    """Extract the keys of the messages of the last seconds."""
    passes.extract_new_keys()


@shared_task
def forget_lost_keys(**_: object) -> None:
    """Delete values of messages that no longer exist."""
    retention.forget_lost_keys()
