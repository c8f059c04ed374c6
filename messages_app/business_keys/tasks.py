"""The periodic task of business keys; registration.py has its interval."""

from celery import shared_task

from messages_app.business_keys import passes


@shared_task
def extract_keys(**_: object) -> None:
    """Extract the keys of the messages of the last seconds."""
    passes.extract_new_keys()
