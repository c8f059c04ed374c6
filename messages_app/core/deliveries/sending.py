"""Sends a report to a target in the target's format, and tests a target."""

from datetime import UTC, datetime
from uuid import uuid4

from messages_app.core.deliveries.events import SentEvent
from messages_app.core.deliveries.formats import OF_INCIDENTS, Format, Report, Target, write_request
from messages_app.core.deliveries.webhook_calls import call_webhook

TEST = SentEvent("test", "A user tests a webhook, or the webhook of a watch rule, whose name it has.")


def send_report(target: Target, report: Report, *, delivery: str) -> None:
    """
    Send a report once.

    Args:
        delivery: the id of the report, which is the same in each attempt.

    Raises:
        NotDelivered, RefusedAddress: see call_webhook.
    """
    request = write_request(target, report)
    is_signed = target.format == Format.STANDARD
    call_webhook(
        request.url, request.content, delivery=delivery if is_signed else "", headers=request.headers
    )


def write_test_content(name: str, actor: str) -> dict[str, object]:
    """Return the JSON that a webhook receives."""
    return {"event": TEST.name, "name": name, "actor": actor}


def send_test(target: Target, *, name: str, actor: str) -> None:
    """
    Send a report that says it is a test. An incident that it opens is closed immediately.

    Args:
        name: of the rule or webhook that has the target.

    Raises:
        NotDelivered, RefusedAddress: see call_webhook.
    """
    title = f"Test of {name}, sent by {actor}"
    delivery = f"test-{uuid4()}"
    content = write_test_content(name, actor)
    for is_over in (False, True) if target.format in OF_INCIDENTS else (False,):
        report = Report(
            title=title,
            text="It needs no action.",
            content=content,
            at=datetime.now(UTC),
            incident=f"hubconsole-{delivery}",
            is_over=is_over,
        )
        send_report(target, report, delivery=delivery)
