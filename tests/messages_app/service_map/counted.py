"""Counted calls and messages, and incidents, for the pages of the map."""

from datetime import datetime, timedelta

from messages_app.core.clock import database_clock
from messages_app.incidents.models import Incident
from messages_app.messages.call_counts.models import CallPass, CallRollup, CallTook
from messages_app.messages.metrics.models import MessageRollup, MessageTook


def hours_ago(hours: float) -> datetime:
    return database_clock().replace(second=0, microsecond=0) - timedelta(hours=hours)


def count_calls(
    service: str, system: str, *, ok: int = 0, failed: int = 0, at: datetime | None = None, step: int = 0
) -> None:
    columns = {"minute": at or hours_ago(1 / 60), "service_name": service, "external_system": system}
    CallRollup.objects.create(succeeded=ok, failed=failed, **columns)
    CallTook.objects.create(step=step, calls=ok + failed, **columns)


def count_messages(service: str, state: str, entered: int, *, at: datetime, step: int = 0) -> None:
    MessageRollup.objects.create(
        minute=at,
        state=state,
        service_name=service,
        operation_name="createInvoice",
        source_system="CRM",
        failed_error_code="",
        present=entered if state == "FAILED" else 0,
        entered=entered,
    )
    MessageTook.objects.create(minute=at, service_name=service, step=step, messages=entered)


def begin_counting() -> None:
    ids = dict.fromkeys(("front", "safe", "mark", "event_front", "event_safe", "event_mark", "mark_xid"), 0)
    CallPass.objects.create(**ids, kept_from=database_clock())


def open_incident(system: str, *services: str, owner: str = "") -> Incident:
    at = hours_ago(2)
    return Incident.objects.create(
        title=f"{system} refuses connections",
        began_at=at,
        last_failure_at=at,
        external_system=system,
        services=list(services),
        failures=3,
        affected=3,
        owner=owner,
    )
