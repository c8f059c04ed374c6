"""The Celery task of watch rules."""

from celery import shared_task

from messages_app.messages.alerts import checks, notices


@shared_task
def check_rules(**_: object) -> None:
    """Open and close alerts, and send their notices."""
    checks.check_rules()
    notices.send_notices()
