"""Suspending a trigger whose resolver cannot answer for a while, and resuming it. Source: 1.6 and 1.7."""

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.document_history.changing.refusals import DocumentConflict, TriggerNotFound
from messages_app.document_history.changing.sending import count_of
from messages_app.document_history.models import DocumentTrigger


def suspend_trigger(*, trigger_id: str, because: str) -> None:
    """Suspend a trigger, unless it is: its checks give no verdict until somebody resumes it."""
    with transaction.atomic():
        if count_of("suspend_trigger", {"trigger_id": trigger_id, "because": because[:1000]}):
            _record(audit.SYSTEM, "suspend_trigger", trigger_id, because)


def resume_trigger(*, trigger_id: str, actor: audit.Actor, reason: str) -> None:
    """
    Let a suspended trigger decide again.

    Raises:
        TriggerNotFound: no trigger has the id.
        DocumentConflict: it is not suspended.
    """
    with transaction.atomic():
        if count_of("resume_trigger", {"trigger_id": trigger_id}):
            _record(actor, "resume_trigger", trigger_id, reason)
            return
    if not DocumentTrigger.objects.filter(pk=trigger_id, deleted_at=None).exists():
        raise TriggerNotFound(f"No trigger has the id {trigger_id!r}.")
    raise DocumentConflict("The trigger is not suspended.", current_state="active")


def _record(actor: audit.Actor, action: str, trigger_id: str, reason: str) -> None:
    is_resumed = action == "resume_trigger"
    audit.record(
        actor=actor,
        action=action,
        before_state="suspended" if is_resumed else "active",
        after_state="active" if is_resumed else "suspended",
        reason=reason[:1000],
        subject_kind="trigger",
        subject=trigger_id,
    )
