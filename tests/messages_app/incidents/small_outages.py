"""Small outages in the hub's tables, now or some minutes ago."""

from datetime import timedelta

from messages_app.core.clock import database_clock
from messages_app.incidents.models import IncidentPass
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from tests.support.factories import make_message


def start_counting(*, hours: int = 24) -> None:
    """Let failures have been counted for hours, so that there is a time without failures before an outage."""
    IncidentPass.objects.create(started_at=database_clock() - timedelta(hours=hours))


def fail_messages(
    count: int, text: str, *, service: str = "billing", minutes_ago: int = 0, sender: str = "CRM"
) -> list[int]:
    """Store messages that failed, a number of minutes ago, and return their ids."""
    at = database_clock() - timedelta(minutes=minutes_ago)
    columns = {"receive_timestamp": at, "last_process_timestamp": at, "failed_error_code": "E103"}
    return [
        make_message(
            state="FAILED",
            failed_desc=text,
            service_name=service,
            operation_name=f"create{service.title()}",
            source_system=sender,
            **columns,
        ).pk
        for _ in range(count)
    ]


def restart_messages(state: str = "OK") -> None:
    """Let the hub process all failed messages."""
    Message.objects.filter(state="FAILED").update(state=state, last_process_timestamp=database_clock())


def gather() -> None:
    """Count and gather new failures, as a worker does."""
    fold_changes()
    group_new_failures()
