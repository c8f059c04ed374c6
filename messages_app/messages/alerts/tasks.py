"""Celery's way in: one call goes out."""

from celery import shared_task

from messages_app.messages.alerts import checks, notices


@shared_task
def check_rules(**_: object) -> None:
    """Open and close alerts, and tell of them."""
    checks.check_rules()
    notices.send_notices()
