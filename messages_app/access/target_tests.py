"""Tests of the targets of watch rules and webhooks: sent once, recorded, and answered by the API."""

from collections.abc import Mapping
from functools import partial

from rest_framework import serializers

from messages_app.access.calls import Action
from messages_app.audit import services as audit
from messages_app.core.deliveries.attempts import attempt_to_send
from messages_app.core.deliveries.formats import Target
from messages_app.core.deliveries.sending import send_test
from messages_app.core.reason_form import MAX_REASON
from messages_app.core.serializers import StrictCharField, StrictSerializer


class WhyTestSerializer(StrictSerializer):
    reason = StrictCharField(max_length=MAX_REASON, allow_blank=True, default="")


class SentTestSerializer(serializers.Serializer[object]):
    sent = serializers.BooleanField(help_text="Whether the receiver accepted the test.")
    error = serializers.CharField(help_text="Why it was not sent; empty: it was.")


# A repeat sends another test: the answer of the first one would not show whether it arrives now.
declare_test = partial(
    Action, body=WhyTestSerializer, answer=SentTestSerializer, keeps_answer=False, gives_tag=False
)


def send_recorded_test(
    target: Target,
    *,
    name: str,
    actor: audit.Actor,
    action: str,
    subject_kind: str,
    subject: int,
    details: Mapping[str, object],
    reason: str,
) -> str:
    """
    Send a test to the target of a rule or webhook, and record it.

    Args:
        name: of the rule or webhook.
        details: of the entry of the audit log, without the error.

    Returns:
        Why it was not sent; empty: it was.
    """
    failure = attempt_to_send(partial(send_test, target, name=name, actor=actor.username))
    error = failure.words if failure else ""
    audit.record_entry(
        actor=actor,
        action=action,
        subject_kind=subject_kind,
        subject=subject,
        reason=reason,
        details={**details, "error": error},
    )
    return error


def describe_test(error: str) -> Mapping[str, object]:
    """Return the answer of the API after a test."""
    return {"sent": not error, "error": error}
