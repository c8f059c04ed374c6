"""
The page of what the console sends to webhooks: the events, each with an example that the code of the event
writes.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

from messages_app.audit.models import AuditEntry, AuditSeal
from messages_app.audit.stream.sending import ENTRIES, write_entry
from messages_app.audit.stream.sending import write_content as write_entries
from messages_app.core.deliveries.events import SentEvent
from messages_app.core.deliveries.sending import TEST, write_test_content
from messages_app.core.representation import represent_value
from messages_app.dashboard.handover_sending import HANDOVER
from messages_app.dashboard.handover_sending import write_content as write_handover
from messages_app.jobs.webhooks.delivery import write_body
from messages_app.jobs.webhooks.events import EVENTS, WebhookEvent
from messages_app.jobs.webhooks.models import Webhook, WebhookDelivery, WebhookMessage
from messages_app.jobs.webhooks.outbox import EndedJobSerializer
from messages_app.messages.alerts.models import Alert, AlertNotice, WatchRule
from messages_app.messages.alerts.notices import ALERT
from messages_app.messages.alerts.notices import webhook_body as write_alert
from messages_app.messages.alerts.states import Measure, Turn
from tests.support.reference.markdown import write_block, write_page, write_paragraph, write_table

_AT = datetime(2026, 11, 30, 2, 15, tzinfo=UTC)
_INTRODUCTION = (
    "The console sends these events as JSON to web addresses, in the form of [Standard"
    " Webhooks](../howto/receive_webhooks.md), which has their headers and signature. A webhook whose format"
    " is that of [a chat or an on-call product](../howto/notify_chat_and_on_call.md) gets the same in words."
    " No event has any content of a message."
)


def write_events() -> str:
    """Return the page of the events."""
    events = [event for event, _ in _list_events()]
    rows = [(f"[{event.name}](#{_name_anchor(event)})", event.when, event.narrowed_by) for event in events]
    examples = [
        part
        for event, write in _list_events()
        for part in (f"## {event.name}", write_block("json", json.dumps(write(), indent=1, default=str)))
    ]
    return write_page(
        "Events",
        write_paragraph(_INTRODUCTION),
        write_table(("event", "sent when", "narrowed by"), rows),
        *examples,
    )


def _name_anchor(event: SentEvent) -> str:
    return event.name.replace(" ", "-")


def _list_events() -> list[tuple[SentEvent, Callable[[], object]]]:
    """Return each event with the function that writes its example."""
    return [
        (EVENTS[WebhookEvent.JOB_ENDED], _write_ended_job),
        (EVENTS[WebhookEvent.MESSAGES_FINAL], _write_final_messages),
        (ALERT, _write_alert),
        (HANDOVER, _write_handover),
        (ENTRIES, _write_entries),
        (TEST, lambda: write_test_content("billing failed", "ada")),
    ]


def _write_ended_job() -> object:
    job = SimpleNamespace(
        job_id=17, kind="restart", state="done", dry_run=False, created_at=_AT, finished_at=_AT
    )
    ended = SimpleNamespace(job=job, planned=55, done=52, skipped=3, failed=0)
    facts = represent_value(EndedJobSerializer, ended)
    return write_body(WebhookDelivery(delivery_id=204, webhook=_make_webhook("job_ended"), job=facts))


def _write_final_messages() -> object:
    delivery = WebhookDelivery(delivery_id=205, webhook=_make_webhook("messages_final"))
    message = WebhookMessage(delivery_id=205, event_id=1, msg_id=4711, state="FAILED", at=_AT)
    return write_body(delivery, [message])


def _make_webhook(event: str) -> Webhook:
    return Webhook(webhook_id=3, name="billing failed", event=event)


def _write_alert() -> object:
    rule = WatchRule(rule_id=2, name="Billing fails", measure=Measure.FAILURE_RATE, limit=0.2)
    alert = Alert(alert_id=9, rule=rule, opened_at=_AT, value=0.35, worst=0.41)
    return write_alert(AlertNotice(notice_id=12, alert=alert, turn=Turn.OPENED))


def _write_handover() -> object:
    return write_handover("Handover from 02:15 to 10:15\n...", since=_AT, until=_AT + timedelta(hours=8))


def _write_entries() -> object:
    entry = AuditEntry(
        entry_id=4711,
        at=_AT,
        actor="ada",
        actor_id=7,
        action="restart",
        outcome="done",
        msg_id=101494,
        before_state="FAILED",
        after_state="PARTLY_FAILED",
        reason="billing is back",
        details={},
    )
    return write_entries([write_entry(entry, AuditSeal(seal_id=812))])
