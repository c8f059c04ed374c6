"""
Documents in doubt: an operator resubmits or settles one; a resubmitted document is taken once.

The first decision wins, and each is in the audit log with its reason. The code of the document's own trigger
takes a resubmitted document, with the token to complete it.

Source: docs/contributing/spec/document_history.md, "In Doubt documents"; docs/contributing/spec/promises.md,
I-44.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models.functions import Now

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.document_history.models import DocumentInDoubt, DocumentTrigger
from messages_app.document_history.services.errors import DocumentConflict, InDoubtNotFound, TriggerNotFound
from messages_app.document_history.states import EntryStatus, InDoubtState
from messages_app.document_history.tokens import token_for

statements = Statements("messages_app.document_history")


# If another delivery became New meanwhile, or a sweep has removed the entry, it must not run twice.
NOBODY = "no one (processing was started again)"


@dataclass(frozen=True, kw_only=True)
class Resubmitted:
    """
    A document that the caller processes once, without duplicate detection.

    Args:
        line: the document in doubt, with its content.
        token: completes it; None if the history has no entry of it.
    """

    line: DocumentInDoubt
    token: str | None


def resubmitted_document(in_doubt_id: int) -> Resubmitted:
    """Return a resubmitted document with its token."""
    line = DocumentInDoubt.objects.get(pk=in_doubt_id)
    start = line.decided_start
    return Resubmitted(
        line=line, token=token_for(line.trigger_id, line.document_uuid, start) if start else None
    )


def resubmit_document(
    *, in_doubt_id: int, actor: audit.Actor, reason: str, takes: bool = True
) -> Resubmitted | None:
    """
    Resubmit a document in doubt to its own trigger.

    It is not checked again. The start of its processing entry is overwritten, so that earlier tokens are
    invalid, and it is completed with the new token. Source: docs/contributing/spec/document_history.md, "In
    Doubt documents".

    Args:
        takes: the caller processes it and gets the token; otherwise it waits for `take_resubmitted`.

    Raises:
        InDoubtNotFound: there is no such line.
        DocumentConflict: it was already decided, or the document has been completed meanwhile.
    """
    with transaction.atomic():
        line = _close_doubt(in_doubt_id, InDoubtState.RESUBMITTED, actor, reason)
        old_start, time = _begin_processing(line) if _is_recorded(line) else (None, None)
        taking = {"taken_at": Now(), "taken_by": actor.username} if takes else {}
        DocumentInDoubt.objects.filter(pk=line.pk).update(decided_start=time, **taking)
        _record_decision(actor, "resubmit_document", line, time, old_start)
    return resubmitted_document(in_doubt_id) if takes else None


def settle_document(*, in_doubt_id: int, actor: audit.Actor, reason: str) -> DocumentInDoubt:
    """
    Settle a document in doubt as processed: write its completed entry without running anything.

    Raises: as resubmit, but a document that is already completed is settled too.
    """
    with transaction.atomic():
        line = _close_doubt(in_doubt_id, InDoubtState.SETTLED, actor, reason)
        time = None
        if _is_recorded(line):
            row = statements.fetch_row("settle", _document_of_line(line))
            time = row[0] if row else None
            DocumentInDoubt.objects.filter(pk=line.pk).update(decided_start=time)
        _record_decision(actor, "settle_document", line, time)
    return DocumentInDoubt.objects.get(pk=line.pk)


def _close_doubt(in_doubt_id: int, state: InDoubtState, actor: audit.Actor, reason: str) -> DocumentInDoubt:
    """Close the line, which only one caller can do, and return it."""
    values = {
        "in_doubt_id": in_doubt_id,
        "state": state,
        "resolved_by": actor.username,
        "reason": reason,
    }
    is_first = statements.fetch_row("resolve_in_doubt", values) is not None
    line = DocumentInDoubt.objects.filter(pk=in_doubt_id).first()
    if line is None:
        raise InDoubtNotFound(in_doubt_id)
    if not is_first:
        raise DocumentConflict(f"Already {line.state} by {line.resolved_by}.", current_state=line.state)
    return line


def _is_recorded(line: DocumentInDoubt) -> bool:
    """
    Return whether the history has entries of this document: it has a UUID, and its trigger uses the history.
    """
    if not line.document_uuid:
        return False
    uses = DocumentTrigger.objects.filter(pk=line.trigger_id, use_history=True, detect_duplicates=True)
    return uses.exists()


def _begin_processing(line: DocumentInDoubt) -> tuple[datetime | None, datetime]:
    """Return the overwritten start, which the audit log keeps, and the new one."""
    times: dict[str, datetime] = dict(statements.fetch_rows("entries", _document_of_line(line)))
    old_start = times.get(EntryStatus.PROCESSING)
    row = statements.fetch_row("resubmit", _document_of_line(line))
    if row is None:
        text = "The document has been completed meanwhile. Settle it instead."
        raise DocumentConflict(text, current_state="completed")
    return old_start, row[0]


def _document_of_line(line: DocumentInDoubt) -> dict[str, str]:
    return {"trigger_id": line.trigger_id, "uuid": line.document_uuid}


def _record_decision(
    actor: audit.Actor,
    action: str,
    line: DocumentInDoubt,
    time: datetime | None,
    old_start: datetime | None = None,
) -> None:
    details = {
        "trigger_id": line.trigger_id,
        "document": line.document_uuid or line.identifier,
        "start": time and time.isoformat(),
        "old_start": old_start and old_start.isoformat(),
    }
    _record_action(actor, action, line, InDoubtState.OPEN, details)


def _record_action(
    actor: audit.Actor, action: str, line: DocumentInDoubt, before: str, details: Mapping[str, object]
) -> None:
    audit.record_entry(
        actor=actor,
        action=action,
        before_state=before,
        after_state=line.state,
        reason=line.reason,
        subject_kind="in_doubt",
        subject=line.pk,
        details=details,
    )


def take_resubmitted(*, trigger_id: str, actor: audit.Actor) -> Resubmitted | None:
    """
    Take the oldest resubmitted document of a trigger that has not been taken; None if no document waits.

    Simultaneous callers get different documents and do not wait for each other.

    Raises:
        TriggerNotFound: no trigger has the id, for example because it is misspelt.
    """
    while (line := _take_first_free(trigger_id, None, actor)) is not None:
        if line.taken_by == actor.username:
            return resubmitted_document(line.pk)
    if not DocumentTrigger.objects.filter(pk=trigger_id).exists():
        raise TriggerNotFound(trigger_id)
    return None


def take_one(*, in_doubt_id: int, actor: audit.Actor) -> Resubmitted:
    """
    Take one resubmitted document.

    Raises:
        InDoubtNotFound: there is no such line.
        DocumentConflict: it was not resubmitted, was taken before, or was started again by another delivery.
    """
    line = DocumentInDoubt.objects.filter(pk=in_doubt_id).first()
    if line is None:
        raise InDoubtNotFound(in_doubt_id)
    free_line = _take_first_free(line.trigger_id, in_doubt_id, actor)
    if free_line is not None and free_line.taken_by == actor.username:
        return resubmitted_document(in_doubt_id)
    line.refresh_from_db()
    if line.state != InDoubtState.RESUBMITTED:
        raise DocumentConflict(f"The document is {line.state}, not resubmitted.", current_state=line.state)
    raise DocumentConflict(f"Already taken by {line.taken_by}.", current_state="taken")


def _take_first_free(trigger_id: str, in_doubt_id: int | None, actor: audit.Actor) -> DocumentInDoubt | None:
    """
    Take a line and start its processing entry again; a document that was started otherwise is given to no
    one.

    Args:
        in_doubt_id: the line to take; None: the oldest that is not taken.
    """
    values = {"trigger_id": trigger_id, "in_doubt_id": in_doubt_id, "taken_by": actor.username}
    with transaction.atomic():
        row = statements.fetch_row("take_resubmitted", values)
        if row is None:
            return None
        line = DocumentInDoubt.objects.get(pk=row[0])
        if line.decided_start is not None and not _begin_again(line):
            line.taken_by = NOBODY
            line.save(update_fields=["taken_by"])
        details = {"trigger_id": line.trigger_id, "taken_by": line.taken_by}
        _record_action(actor, "take_document", line, line.state, details)
        return line


def _begin_again(line: DocumentInDoubt) -> bool:
    """Give the processing entry a new start if it still has the one of the resubmission."""
    values = {"trigger_id": line.trigger_id, "uuid": line.document_uuid, "seen": line.decided_start}
    row = statements.fetch_row("start_again", values)
    if row is not None:
        line.decided_start = row[0]
        line.save(update_fields=["decided_start"])
    return row is not None
