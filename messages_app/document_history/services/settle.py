"""
What an operator does with a document in doubt: have it processed anyway, or settle it as a duplicate.

Source: docs/spec/document_history.md, "In Doubt documents"; docs/spec/promises.md, I-44. The first decision
wins; both are audited with a reason.
"""

from datetime import datetime

from django.db import transaction
from django.db.models.functions import Now

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.document_history.models import DocumentInDoubt, DocumentTrigger
from messages_app.document_history.services.errors import DocumentConflict, InDoubtNotFound
from messages_app.document_history.services.take import Resubmitted, resubmitted
from messages_app.document_history.states import EntryStatus, InDoubtState

statements = Statements("messages_app.document_history")


def resubmit(*, in_doubt_id: int, actor: audit.Actor, reason: str, takes: bool = True) -> Resubmitted | None:
    """
    Let a document in doubt be processed, by its own trigger and no other.

    Detection is passed by once, the start of its processing entry is overwritten, so that earlier tokens are
    void, and who processes it completes with the new one.
    Source: docs/spec/document_history.md, "In Doubt documents".

    Args:
        takes: the caller processes it, and gets the token; without it waits for `take_resubmitted`.

    Raises:
        InDoubtNotFound: there is no such line.
        DocumentConflict: someone decided before, or the document has been completed meanwhile.
    """
    with transaction.atomic():
        line = _decided(in_doubt_id, InDoubtState.RESUBMITTED, actor, reason)
        old_start, time = _begin(line) if _is_recorded(line) else (None, None)
        taken = {"taken_at": Now(), "taken_by": actor.username} if takes else {}
        DocumentInDoubt.objects.filter(pk=line.pk).update(decided_start=time, **taken)
        _record(actor, "resubmit_document", line, reason, time, old_start=old_start)
    return resubmitted(in_doubt_id) if takes else None


def settle(*, in_doubt_id: int, actor: audit.Actor, reason: str) -> DocumentInDoubt:
    """
    Say that a document in doubt was processed: write its completed entry, run nothing.

    Raises: as resubmit, but a document that is completed is settled by that.
    """
    with transaction.atomic():
        line = _decided(in_doubt_id, InDoubtState.SETTLED, actor, reason)
        time = None
        if _is_recorded(line):
            row = statements.row("settle", _document(line))
            time = row and row[0]
            DocumentInDoubt.objects.filter(pk=line.pk).update(decided_start=time)
        _record(actor, "settle_document", line, reason, time)
    return DocumentInDoubt.objects.get(pk=line.pk)


def _decided(in_doubt_id: int, state: InDoubtState, actor: audit.Actor, reason: str) -> DocumentInDoubt:
    """Close the line, which no one else then can, and return it."""
    values = {
        "in_doubt_id": in_doubt_id,
        "state": state,
        "resolved_by": actor.username,
        "reason": reason,
    }
    is_first = statements.row("resolve_in_doubt", values) is not None
    line = DocumentInDoubt.objects.filter(pk=in_doubt_id).first()
    if line is None:
        raise InDoubtNotFound(f"No document in doubt has the id {in_doubt_id}.")
    if not is_first:
        raise DocumentConflict(f"Already {line.state} by {line.resolved_by}.", current_state=line.state)
    return line


def _is_recorded(line: DocumentInDoubt) -> bool:
    """Whether the history keeps entries of this document: it has a UUID, and its trigger uses the history."""
    if not line.document_uuid:
        return False
    uses = DocumentTrigger.objects.filter(pk=line.trigger_id, use_history=True, detect_duplicates=True)
    return uses.exists()


def _begin(line: DocumentInDoubt) -> tuple[datetime | None, datetime]:
    """Return the start that is overwritten, which the audit keeps, and the new one."""
    old_start = dict(statements.rows("entries", _document(line))).get(EntryStatus.PROCESSING)
    row = statements.row("resubmit", _document(line))
    if row is None:
        text = "The document has been completed meanwhile. Settle it instead."
        raise DocumentConflict(text, current_state="completed")
    return old_start, row[0]


def _document(line: DocumentInDoubt) -> dict[str, str]:
    return {"trigger_id": line.trigger_id, "uuid": line.document_uuid}


def _record(
    actor: audit.Actor,
    action: str,
    line: DocumentInDoubt,
    reason: str,
    time: datetime | None,
    *,
    old_start: datetime | None = None,
) -> None:
    audit.record(
        actor=actor,
        action=action,
        before_state=InDoubtState.OPEN,
        after_state=line.state,
        reason=reason,
        subject_kind="in_doubt",
        subject=line.pk,
        details={
            "trigger_id": line.trigger_id,
            "document": line.document_uuid or line.identifier,
            "start": time and time.isoformat(),
            "old_start": old_start and old_start.isoformat(),
        },
    )
