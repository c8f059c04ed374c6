"""Beginning again what had begun before, on a resolver's word; the audit keeps the old start."""

from datetime import datetime

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.document_history.changing.delivered import Delivered, Trigger
from messages_app.document_history.changing.sending import row_of


def start_again(
    trigger: Trigger, delivered: Delivered, seen: datetime | None, *, message: str
) -> datetime | None:
    """
    Give the processing entry a new start, and return it; None where it is not as it was seen any more.

    Source: spec/other-systems.md 1.6, with the arrow; reliability I-44.
    """
    with transaction.atomic():
        row = row_of("start_again", {"trigger_id": trigger.trigger_id, "uuid": delivered.uuid, "seen": seen})
        if row is None:
            return None
        audit.record(
            actor=audit.Actor(username=f"resolver {trigger.resolver}"[:150]),
            action="start_again",
            before_state="processing",
            after_state="processing",
            reason=message[:1000],
            subject_kind="trigger",
            subject=trigger.trigger_id,
            details={
                "document_uuid": delivered.uuid,
                "old_start": seen.isoformat(),
                "new_start": row[0].isoformat(),
            },
        )
        return row[0]
