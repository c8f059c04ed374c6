"""Sends the handover to a channel of a watch rule: by email or to a webhook."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import uuid4

from django.core.mail import send_mail

from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.deliveries.attempts import attempt_to_send
from messages_app.core.deliveries.events import SentEvent
from messages_app.core.deliveries.formats import OF_INCIDENTS, Report, Target
from messages_app.core.deliveries.sending import send_report
from messages_app.core.deliveries.webhook_calls import mask_webhook
from messages_app.core.problems import bad_field
from messages_app.dashboard.handover import Handover
from messages_app.dashboard.handover_text import write_handover
from messages_app.messages.alerts.notices import target_of
from messages_app.messages.alerts.selectors import list_rules

NO_CHANNEL = "No watch rule has a channel. Add an email address or a webhook to one."
HANDOVER = SentEvent(
    "handover",
    "A user sends a [handover](overview.md#handover) to the webhook of a watch rule. `text` has its lines.",
)
_ACTION, _MAX_SENDS, _MAX_READ = "send_handover", 5, 50


@dataclass(frozen=True, kw_only=True)
class Receiver:
    """
    A channel of a watch rule.

    Args:
        key: names it in a form, without the secret part of a webhook.
        webhook: None: it is an email address, which is its name.
    """

    key: str
    name: str
    webhook: Target | None = None


def list_receivers() -> list[Receiver]:
    """Return the channels of all watch rules, each once, without products for incidents."""
    receivers: dict[str, Receiver] = {}
    for rule in list_rules():
        for address in rule.mail_to:
            receivers[address] = Receiver(key=f"mail-{address}", name=address)
        url = rule.webhook_url
        if url and rule.webhook_format not in OF_INCIDENTS:
            name = f"webhook {mask_webhook(url)} ({rule.name})"
            receivers.setdefault(url, Receiver(key=f"webhook-{rule.pk}", name=name, webhook=target_of(rule)))
    return list(receivers.values())


@dataclass(frozen=True, kw_only=True)
class Send:
    """
    An attempt to send a handover.

    Args:
        channel: the name of the receiver.
        error: why it was not sent, in words; empty if it was.
    """

    channel: str
    error: str
    actor: str = ""
    at: datetime | None = None


def send_handover(*, key: str, shift: Handover, actor: audit.Actor) -> Send:
    """
    Send the text of a shift once to a channel, and record the attempt, failed or not.

    Raises:
        Problem: 400, no watch rule has this channel.
    """
    receivers = list_receivers()
    receiver = next((one for one in receivers if one.key == key), None)
    if receiver is None:
        words = "No watch rule has this channel." if receivers else NO_CHANNEL
        raise bad_field("channel", "invalid_value", words)
    failure = attempt_to_send(partial(_send_text, receiver, shift))
    error = failure.words if failure else ""
    audit.record_entry(
        actor=actor,
        action=_ACTION,
        details={"channel": receiver.name, "since": shift.since.isoformat(), "error": error},
    )
    return Send(channel=receiver.name, error=error)


def newest_sends() -> list[Send]:
    """Return the newest attempts to send a handover, newest first."""
    # A refused one, without the permission, names no channel.
    entries = AuditEntry.objects.filter(action=_ACTION).order_by("-at", "-entry_id")[:_MAX_READ]
    sends = [
        Send(
            channel=entry.details["channel"],
            error=entry.details.get("error", ""),
            actor=entry.actor,
            at=entry.at,
        )
        for entry in entries
        if "channel" in entry.details
    ]
    return sends[:_MAX_SENDS]


def write_content(text: str, *, since: datetime, until: datetime) -> dict[str, object]:
    """Return the JSON that a webhook receives."""
    return {
        "event": HANDOVER.name,
        "since": since.isoformat(),
        "until": until.isoformat(),
        "text": text,
    }


def _send_text(receiver: Receiver, shift: Handover) -> None:
    text = write_handover(shift)
    if receiver.webhook is None:
        send_mail("[Hub Console] Handover", text, None, [receiver.name])
        return
    content = write_content(text, since=shift.since, until=shift.until)
    # The first line is the title.
    title, _, rest = text.partition("\n")
    report = Report(title=title, text=rest.strip(), content=content, at=shift.until)
    send_report(receiver.webhook, report, delivery=f"handover-{uuid4()}")
