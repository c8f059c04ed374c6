"""Sends the handover to a channel of a watch rule: by email or to a webhook."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import uuid4

from django.core.mail import send_mail

from messages_app.audit import services as audit
from messages_app.core.deliveries.attempts import attempt_to_send
from messages_app.core.deliveries.webhook_calls import call_webhook, mask_webhook
from messages_app.core.problems import bad_field
from messages_app.messages.alerts.selectors import list_rules
from messages_app.messages.alerts.states import Channel

NO_CHANNEL = "No watch rule has a channel. Add an email address or a webhook to one."


@dataclass(frozen=True, kw_only=True)
class Receiver:
    """
    A channel of a watch rule.

    Args:
        key: names it in a form, without the secret part of a webhook.
    """

    key: str
    name: str
    channel: Channel
    target: str


def list_receivers() -> list[Receiver]:
    """Return the channels of all watch rules, each once."""
    receivers: dict[str, Receiver] = {}
    for rule in list_rules():
        for address in rule.mail_to:
            receivers[address] = Receiver(
                key=f"mail-{address}", name=address, channel=Channel.MAIL, target=address
            )
        if url := rule.webhook_url:
            name = f"webhook {mask_webhook(url)} of {rule.name}"
            receivers.setdefault(
                url, Receiver(key=f"webhook-{rule.pk}", name=name, channel=Channel.WEBHOOK, target=url)
            )
    return list(receivers.values())


def send_handover(*, key: str, text: str, since: datetime, until: datetime, actor: audit.Actor) -> str:
    """
    Send the text once to a channel, and record the attempt. Return an error in words; empty if it was sent.

    Raises:
        Problem: 400, no watch rule has this channel.
    """
    receivers = list_receivers()
    receiver = next((one for one in receivers if one.key == key), None)
    if receiver is None:
        words = "No watch rule has this channel." if receivers else NO_CHANNEL
        raise bad_field("channel", "invalid_value", words)
    error = attempt_to_send(partial(_send_text, receiver, text, since, until))
    audit.record_entry(
        actor=actor,
        action="send_handover",
        details={"channel": receiver.name, "since": since.isoformat(), "error": error},
    )
    return error


def _send_text(receiver: Receiver, text: str, since: datetime, until: datetime) -> None:
    if receiver.channel == Channel.MAIL:
        send_mail("[Hub Console] Handover", text, None, [receiver.target])
        return
    body = {"event": "handover", "since": since.isoformat(), "until": until.isoformat(), "text": text}
    call_webhook(receiver.target, body, delivery=f"handover-{uuid4()}")
