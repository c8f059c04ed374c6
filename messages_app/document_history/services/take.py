"""
Taking a resubmitted document, to process it: each is given once, with the token to complete it.

An operator resubmits; its own trigger's code takes it and processes it, and no other.
Source: docs/spec/document_history.md, "In Doubt documents".
"""

from dataclasses import dataclass

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.document_history.models import DocumentInDoubt, DocumentTrigger
from messages_app.document_history.services.errors import DocumentConflict, InDoubtNotFound, TriggerNotFound
from messages_app.document_history.states import InDoubtState
from messages_app.document_history.tokens import token_for

statements = Statements("messages_app.document_history")


# Where another delivery was let through since, or a sweep has removed the entry: it must not run twice.
NOBODY = "no one (processing was started again)"


@dataclass(frozen=True, kw_only=True)
class Resubmitted:
    """
    A document that is to be processed, past the detection of duplicates, once.

    Args:
        line: what was in doubt, its content among it.
        token: to complete it with; None where the history keeps no entry of it.
    """

    line: DocumentInDoubt
    token: str | None


def resubmitted(in_doubt_id: int) -> Resubmitted:
    """Return a resubmitted document with its token."""
    line = DocumentInDoubt.objects.get(pk=in_doubt_id)
    start = line.decided_start
    return Resubmitted(
        line=line, token=token_for(line.trigger_id, line.document_uuid, start) if start else None
    )


def take_resubmitted(*, trigger_id: str, actor: audit.Actor) -> Resubmitted | None:
    """
    Take the oldest resubmitted document of a trigger that no one has taken; None where there is none.

    Of several who ask at once each gets another one, and waits for no one.

    Raises:
        TriggerNotFound: no trigger has the id; a misspelt one would ask in vain forever.
    """
    while (line := _first_free({"trigger_id": trigger_id, "in_doubt_id": None}, actor)) is not None:
        if line.taken_by == actor.username:
            return resubmitted(line.pk)
    if not DocumentTrigger.objects.filter(pk=trigger_id).exists():
        raise TriggerNotFound(f"No trigger has the id {trigger_id!r}.")
    return None


def take_one(*, in_doubt_id: int, actor: audit.Actor) -> Resubmitted:
    """
    Take one resubmitted document.

    Raises:
        InDoubtNotFound: there is no such line.
        DocumentConflict: it was not resubmitted, was taken before, or was begun otherwise since.
    """
    line = DocumentInDoubt.objects.filter(pk=in_doubt_id).first()
    if line is None:
        raise InDoubtNotFound(f"No document in doubt has the id {in_doubt_id}.")
    taken = _first_free({"trigger_id": line.trigger_id, "in_doubt_id": in_doubt_id}, actor)
    if taken is not None and taken.taken_by == actor.username:
        return resubmitted(in_doubt_id)
    line.refresh_from_db()
    if line.state != InDoubtState.RESUBMITTED:
        raise DocumentConflict(f"The document is {line.state}, not resubmitted.", current_state=line.state)
    raise DocumentConflict(f"Already taken by {line.taken_by}.", current_state="taken")


def _first_free(values: dict[str, object], actor: audit.Actor) -> DocumentInDoubt | None:
    """Take a line, and begin its processing entry again; one that was begun otherwise goes to no one."""
    with transaction.atomic():
        row = statements.row("take_resubmitted", values | {"taken_by": actor.username})
        if row is None:
            return None
        line = DocumentInDoubt.objects.get(pk=row[0])
        if line.decided_start is not None and not _begin_again(line):
            line.taken_by = NOBODY
            line.save(update_fields=["taken_by"])
        _record(actor, line)
        return line


def _begin_again(line: DocumentInDoubt) -> bool:
    """Give the processing entry a new start, on the condition that it has the one of the resubmission."""
    values = {"trigger_id": line.trigger_id, "uuid": line.document_uuid, "seen": line.decided_start}
    row = statements.row("start_again", values)
    if row is not None:
        line.decided_start = row[0]
        line.save(update_fields=["decided_start"])
    return row is not None


def _record(actor: audit.Actor, line: DocumentInDoubt) -> None:
    audit.record(
        actor=actor,
        action="take_document",
        before_state=InDoubtState.RESUBMITTED,
        after_state=InDoubtState.RESUBMITTED,
        reason=line.reason,
        subject_kind="in_doubt",
        subject=line.pk,
        details={"trigger_id": line.trigger_id, "taken_by": line.taken_by},
    )
